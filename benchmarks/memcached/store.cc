#include "store.h"

#include <algorithm>
#include <array>
#include <optional>

#include "decimal.h"
#include "perdure/transaction.h"

namespace perdure::benchmarks::memcached {
namespace {

constexpr std::size_t piece_bytes = 1024;  // values pass between ordinary memory and the pool by way of the stack

// In a partition at least so many items of the largest size find room.
constexpr std::size_t fewest_items = 4;

std::size_t partitions_for(const Limits& limits) {
  std::size_t partitions = 1;
  while (partitions < Cache::most_partitions && limits.memory / (2 * partitions) >= fewest_items * limits.item) {
    partitions *= 2;
  }
  return partitions;
}

Cache& cache_in(Pool& pool, const Limits& limits) {
  auto& cache = pool.root<Cache>("memcached");
  const auto partitions = partitions_for(limits);
  TM_BEGIN {
    if (!cache.is_prepared()) cache.prepare(partitions);
  } TM_END;
  return cache;
}

// -- parts of transactions -----------------------------------------------------------------------------------------

void harvest_value(const Item& item, Harvest& harvest) {
  std::array<char, piece_bytes> piece;
  const std::size_t size = item.value_size;
  for (std::size_t offset = 0; offset < size; offset += piece.size()) {
    const auto count = std::min(piece.size(), size - offset);
    std::memcpy(piece.data(), item.value() + offset, count);
    harvest.add_bytes(piece.data(), count);
  }
}

/// \param value  in the thread's own memory.
void write_value(char* to, std::string_view value) {
  std::array<char, piece_bytes> piece;
  for (std::size_t offset = 0; offset < value.size(); offset += piece.size()) {
    const auto count = std::min(piece.size(), value.size() - offset);
    copy_own(piece.data(), value.data() + offset, count);
    std::memcpy(to + offset, piece.data(), count);
  }
}

Found found_of(const Item& item) {
  Found found;
  found.presence = Presence::present;
  found.is_fetched = item.is_fetched;
  found.is_stale = item.is_stale;
  found.is_won_by_other = item.is_won;
  found.is_binary_key = item.is_binary_key;
  found.flags = item.flags;
  found.value_size = item.value_size;
  found.cas = item.cas;
  found.bytes = item.footprint();
  found.expiry = found.new_expiry = item.expiry;
  found.used = item.used;
  return found;
}

// Sizes are read for those who watch only.
Item* find(Cache& cache, const ItemKey& key, UnixSeconds now, Trace& trace) {
  const Lookup lookup = cache.find(key, now);
  trace.see(lookup.presence);
  if (lookup.item != nullptr && trace.is_watched()) {
    const std::uint32_t size = lookup.item->value_size;
    trace.see_size(size);
  }
  return lookup.item;
}

void note_stored(const Item& item, Trace& trace) {
  if (!trace.is_watched()) return;
  const UnixSeconds expiry = item.expiry;
  const std::uint32_t size = item.value_size;
  trace.store(expiry, size);
}

void list_item(const Item& item, Harvest& harvest) {
  std::array<char, longest_key> key;
  const std::uint8_t size = item.key_size;
  std::memcpy(key.data(), item.key(), size);
  harvest.add_listed(found_of(item), size);
  harvest.add_bytes(key.data(), size);
}

// What asking changes of an item, little of it each time: most transactions that only look find nothing to write.
void use(Cache& cache, Item& item, const Fetch& fetch, UnixSeconds now, Found& found) {
  if (fetch.touches) item.expiry = found.new_expiry = fetch.expiry;
  if (fetch.is_meta) {
    const bool expires_soon = fetch.recaches && found.new_expiry != never && found.new_expiry < fetch.recache_before;
    found.is_won = found.is_created || (!found.is_won_by_other && (found.is_stale || expires_soon));
    if (found.is_won) item.is_won = true;
  }
  if (fetch.leaves_recency) return;
  if (!found.is_fetched) item.is_fetched = true;
  cache.use(item, now);
}

void fetch_one(Cache& cache, const ItemKey& key, const Fetch& fetch, std::size_t limit, UnixSeconds now,
               Harvest& harvest, Trace& trace) {
  const Lookup lookup = cache.find(key, now);
  Item* item = lookup.item;
  const bool is_created = item == nullptr && fetch.vivifies;
  if (is_created) {
    item = Item::make(key, 0);
    item->expiry = fetch.vivified_expiry;
    item->is_binary_key = fetch.is_binary_key;
    cache.add(*item, limit, now, trace);
  }
  if (item == nullptr) {
    Found found;
    found.presence = lookup.presence;
    return harvest.add(found);
  }
  Found found = found_of(*item);
  found.is_created = is_created;
  use(cache, *item, fetch, now, found);
  harvest.add(found);
  if (fetch.wants_value) harvest_value(*item, harvest);
}

// Whether `put` may be done, and what is to be said if not.
Outcome allowed(const Item* old, const Put& put) {
  if (old == nullptr) {
    if (put.mode == Mode::cas) return Outcome::not_found;
    return put.mode == Mode::set || put.mode == Mode::add ? Outcome::done : Outcome::not_stored;
  }
  if (put.mode == Mode::add) return Outcome::not_stored;
  const bool is_older = put.mode == Mode::cas && put.invalidates && put.cas < old->cas && put.cas != 0;
  if (put.has_cas && put.cas != old->cas && !is_older) return Outcome::exists;
  return Outcome::done;
}

Item* new_item(const ItemKey& key, const Item* old, const Put& put, std::string_view value) {
  const bool is_longer = put.mode == Mode::append || put.mode == Mode::prepend;
  const std::size_t old_size = is_longer ? old->value_size : 0;
  Item* item = Item::make(key, old_size + value.size());
  item->is_binary_key = put.is_binary_key;
  item->flags = is_longer ? old->flags : put.flags;
  item->expiry = is_longer ? old->expiry : put.expiry;
  if (put.mode == Mode::cas && put.cas != old->cas) {  // an older value: as good as none, but better than nothing
    item->expiry = old->expiry;
    item->is_stale = true;
    item->is_won = old->is_won;
  }
  write_value(item->value() + (put.mode == Mode::append ? old_size : 0), value);
  if (is_longer) {
    std::memcpy(item->value() + (put.mode == Mode::prepend ? value.size() : 0), old->value(), old_size);
  }
  return item;
}

std::optional<std::uint64_t> number_of(const Item& item) {
  std::array<char, longest_number + 1> digits;
  if (item.value_size == 0 || item.value_size > digits.size()) return std::nullopt;
  std::memcpy(digits.data(), item.value(), item.value_size);
  return number_of_value({digits.data(), item.value_size});
}

// In place when it is no longer than the old value, with blanks behind it, as memcached does.
Item* write_number(Cache& cache, Item* item, const ItemKey& key, std::uint64_t number, std::size_t limit,
                   UnixSeconds now, Trace& trace) {
  const Digits digits = digits_of(number);
  if (digits.size <= item->value_size) {
    std::array<char, longest_number + 1> padded;
    padded.fill(' ');
    std::memcpy(padded.data(), digits.characters.data(), digits.size);
    std::memcpy(item->value(), padded.data(), item->value_size);
    item->cas = cache.next_cas(key.hash);
    cache.use(*item, now);
    return item;
  }
  Item* longer = Item::make(key, digits.size);
  longer->flags = item->flags;
  longer->expiry = item->expiry;
  longer->is_binary_key = item->is_binary_key;
  longer->is_fetched = item->is_fetched;
  std::memcpy(longer->value(), digits.characters.data(), digits.size);
  cache.erase(*item);
  cache.add(*longer, limit, now, trace);
  return longer;
}

Item* make_number(Cache& cache, const ItemKey& key, const Arithmetic& arithmetic, std::size_t limit, UnixSeconds now,
                  Trace& trace) {
  const Digits digits = digits_of(arithmetic.initial);
  Item* item = Item::make(key, digits.size);
  item->expiry = arithmetic.vivified_expiry;
  item->is_binary_key = arithmetic.is_binary_key;
  std::memcpy(item->value(), digits.characters.data(), digits.size);
  cache.add(*item, limit, now, trace);
  return item;
}

std::uint64_t changed(std::uint64_t number, const Arithmetic& arithmetic) {
  if (!arithmetic.is_decrement) return number + arithmetic.delta;  // wraps around
  return number > arithmetic.delta ? number - arithmetic.delta : 0;
}

ArithmeticResult add_in_transaction(Cache& cache, const ItemKey& key, const Arithmetic& arithmetic, std::size_t limit,
                                    UnixSeconds now, Trace& trace) {
  ArithmeticResult result;
  Item* item = find(cache, key, now, trace);
  if (item == nullptr) {
    if (!arithmetic.vivifies) return {Outcome::not_found};
    item = make_number(cache, key, arithmetic, limit, now, trace);
    result.is_created = true;
    result.number = arithmetic.initial;
  } else {
    if (arithmetic.has_cas && arithmetic.cas != item->cas) return {Outcome::exists};
    const auto number = number_of(*item);
    if (!number) return {Outcome::no_number};
    result.number = changed(*number, arithmetic);
    item = write_number(cache, item, key, result.number, limit, now, trace);
  }
  result.cas = item->cas;
  result.expiry = result.new_expiry = item->expiry;
  if (arithmetic.touches) item->expiry = result.new_expiry = arithmetic.expiry;
  note_stored(*item, trace);
  return result;
}

PutResult put_in_transaction(Cache& cache, const ItemKey& key, const Put& put, std::string_view value,
                             const Limits& limits, std::size_t limit, UnixSeconds now, Trace& trace) {
  Item* old = find(cache, key, now, trace);
  const Outcome outcome = allowed(old, put);
  if (outcome != Outcome::done) {
    if (old != nullptr && put.mode == Mode::add) cache.use(*old, now);
    return {outcome};
  }
  const bool is_longer = put.mode == Mode::append || put.mode == Mode::prepend;
  if (is_longer && Item::footprint(key.size, old->value_size + value.size()) > limits.item)
    return {Outcome::not_stored};
  Item* item = new_item(key, old, put, value);
  if (old != nullptr) cache.erase(*old);
  cache.add(*item, limit, now, trace);
  note_stored(*item, trace);
  return {Outcome::done, item->cas};
}

Outcome erase_in_transaction(Cache& cache, const ItemKey& key, const Erase& erase, UnixSeconds now, Trace& trace) {
  Item* item = find(cache, key, now, trace);
  if (item == nullptr) return Outcome::not_found;
  if (erase.has_cas && erase.cas != item->cas) return Outcome::exists;
  if (!erase.invalidates) {
    cache.erase(*item);
    return Outcome::done;
  }
  if (erase.touches) item->expiry = erase.expiry;
  item->is_stale = true;
  item->is_won = false;
  item->cas = cache.next_cas(key.hash);
  return Outcome::done;
}

}  // namespace

Store::Store(Pool& pool, const Limits& limits)
    : cache_(cache_in(pool, limits)), limits_(limits), partition_limit_(limits.memory / cache_.partitions()) {}

// Requests are the thread's own and lie outside of the pool: a transaction copies what it needs of one into its frame
// first, and reads that without instrumentation.

void Store::fetch(const std::vector<std::string_view>& keys, const Fetch& fetch, UnixSeconds now, Harvest& harvest,
                  Trace& trace) {
  auto& cache = cache_;
  const auto limit = partition_limit_.load(std::memory_order_relaxed);
  const auto* const first = keys.data();
  const auto count = keys.size();
  TM_BEGIN {
    harvest.clear();
    trace.clear();
    const Fetch how = own(fetch);
    for (std::size_t i = 0; i < count; ++i) fetch_one(cache, own_key(first[i]), how, limit, now, harvest, trace);
  } TM_END;
}

void Store::fetch(const ItemKey& key, const Fetch& fetch, UnixSeconds now, Harvest& harvest, Trace& trace) {
  auto& cache = cache_;
  const auto limit = partition_limit_.load(std::memory_order_relaxed);
  TM_BEGIN {
    harvest.clear();
    trace.clear();
    fetch_one(cache, own(key), own(fetch), limit, now, harvest, trace);
  } TM_END;
}

PutResult Store::put(const ItemKey& key, const Put& put, std::string_view value, UnixSeconds now, Trace& trace) {
  auto& cache = cache_;
  const auto limits = limits_;
  const auto limit = partition_limit_.load(std::memory_order_relaxed);
  return TM_BEGIN {
    trace.clear();
    return put_in_transaction(cache, own(key), own(put), value, limits, limit, now, trace);
  } TM_END;
}

Outcome Store::erase(const ItemKey& key, const Erase& erase, UnixSeconds now, Trace& trace) {
  auto& cache = cache_;
  return TM_BEGIN {
    trace.clear();
    return erase_in_transaction(cache, own(key), own(erase), now, trace);
  } TM_END;
}

ArithmeticResult Store::add(const ItemKey& key, const Arithmetic& arithmetic, UnixSeconds now, Trace& trace) {
  auto& cache = cache_;
  const auto limit = partition_limit_.load(std::memory_order_relaxed);
  return TM_BEGIN {
    trace.clear();
    return add_in_transaction(cache, own(key), own(arithmetic), limit, now, trace);
  } TM_END;
}

void Store::flush(UnixSeconds time, UnixSeconds now) {
  auto& cache = cache_;
  TM_BEGIN {
    if (time <= now) {
      cache.flush();
    } else {
      cache.flush_at(time);
    }
  } TM_END;
}

void Store::tick(UnixSeconds now) {
  auto& cache = cache_;
  TM_BEGIN {
    if (cache.is_flush_due(now)) cache.flush();
  } TM_END;
}

Summary Store::summary() const {
  const auto& cache = cache_;
  return TM_BEGIN {
    Summary sum;
    for (std::size_t i = 0; i < cache.partitions(); ++i) {
      const Partition& partition = cache.partition(i);
      sum.items += partition.items();
      sum.bytes += partition.bytes();
      sum.evictions += partition.evictions();
      const Item* const oldest = partition.oldest();
      if (oldest != nullptr && (sum.oldest_use == 0 || oldest->used < sum.oldest_use)) sum.oldest_use = oldest->used;
    }
    return sum;
  } TM_END;
}

void Store::list(std::size_t part, UnixSeconds now, Harvest& harvest) const {
  const auto& cache = cache_;
  TM_BEGIN {
    harvest.clear();
    cache.for_each_in_part(part, now, [&harvest](const Item& item) { list_item(item, harvest); });
  } TM_END;
}

Sweep Store::sweep(std::size_t part, UnixSeconds now) {
  constexpr std::size_t most_at_once = 64;  // so that a transaction does not grow with what it finds
  auto& cache = cache_;
  Sweep sum;
  Sweep last;
  do {
    last = TM_BEGIN { return cache.erase_dead_in_part<most_at_once>(part, now); } TM_END;
    sum.examined += last.examined;
    sum.erased += last.erased;
    sum.expired_unfetched += last.expired_unfetched;
  } while (last.erased == most_at_once);
  return sum;
}

}  // namespace perdure::benchmarks::memcached
