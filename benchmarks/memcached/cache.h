#ifndef PERDURE_BENCHMARKS_MEMCACHED_CACHE_H
#define PERDURE_BENCHMARKS_MEMCACHED_CACHE_H

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "item.h"
#include "partition.h"
#include "structures/hash_index.h"
#include "trace.h"

namespace perdure::benchmarks::memcached {

/// What was found of dead items.
struct Sweep {
  std::size_t examined = 0;
  std::size_t erased = 0;
  std::size_t expired_unfetched = 0;  // of the erased: without those that were flushed
};

/// What a key leads to.
struct Lookup {
  Item* item = nullptr;
  Presence presence = Presence::absent;
};

/// All items, by key and by recency: the root object of the pool.
///
/// It is ordinary C++ and knows nothing of transactions.
class Cache {
 public:
  static constexpr std::size_t most_partitions = 64;
  static constexpr UnixSeconds seconds_between_moves = 60;

  bool is_prepared() const { return partition_count_ != 0; }

  /// Once, before the first item.
  /// \param partitions  a power of two, at most `most_partitions`.
  void prepare(std::size_t partitions) {
    constexpr std::size_t expected_items = 8192;
    index_.reserve(expected_items);
    partitions_ = std::make_unique<Partition[]>(partitions);
    partition_count_ = partitions;
  }

  std::size_t partitions() const { return partition_count_; }
  Partition& partition(std::size_t number) const { return partitions_[number]; }

  Partition& partition_of(std::uint64_t hash) const { return partitions_[hash % partition_count_]; }

  /// For the value of a key with this hash; unique over the whole cache, and never handed out again. It grows with each
  /// value of a key.
  std::uint64_t next_cas(std::uint64_t hash) {
    const auto number = hash % partition_count_;
    return partitions_[number].next_cas(number, partition_count_);
  }

  /// The item with this key, or null. One that has expired or was flushed is removed.
  Lookup find(const ItemKey& key, UnixSeconds now) {
    Item** const items = index_.find(key_of(key.hash));
    if (items == nullptr) return {};
    Item* item = *items;
    while (item != nullptr && !item->has_key(key)) item = item->next_of_hash;
    if (item == nullptr) return {};
    if (!is_dead(*item, now)) return {item, Presence::present};
    const bool was_flushed = is_flushed(*item);
    erase(*item);
    return {nullptr, was_flushed ? Presence::flushed : Presence::expired};
  }

  /// Adds an item that no other has the key of, as the newest. While its partition is larger than `limit` bytes, the
  /// items that have not been used for longest are evicted; `item` itself is not.
  /// \param trace  is told of those.
  void add(Item& item, std::size_t limit, UnixSeconds now, Trace& trace) {
    Partition& partition = partition_of(item.hash);
    const auto footprint = item.footprint();
    while (partition.oldest() != nullptr && partition.bytes() + footprint > limit) evict(partition, now, trace);
    const auto [items, is_new] = index_.insert_if_absent(key_of(item.hash), &item);
    if (!is_new) {
      item.next_of_hash = *items;
      *items = &item;
    }
    item.used = now;
    item.cas = next_cas(item.hash);
    partition.add(item);
  }

  /// Removes and frees the item.
  void erase(Item& item) {
    Item** const items = index_.find(key_of(item.hash));
    if (*items == &item && item.next_of_hash == nullptr) {
      index_.erase(key_of(item.hash));
    } else {
      Item** link = items;
      while (*link != &item) link = &(*link)->next_of_hash;
      *link = item.next_of_hash;
    }
    partition_of(item.hash).remove(item);
    Item::destroy(&item);
  }

  /// The item has been asked for. It is moved in the order of recency at most once a minute, as in memcached: so that
  /// what is asked for often is not written each time.
  void use(Item& item, UnixSeconds now) {
    if (now < item.used + seconds_between_moves) return;
    item.used = now;
    partition_of(item.hash).move_to_front(item);
  }

  /// The index has so many parts, each small enough for one transaction to look at.
  std::size_t index_parts() const { return index_.slots(); }

  /// Calls `visit(item)` for each item of a part that is neither expired nor flushed.
  template <class Visit>
  void for_each_in_part(std::size_t part, UnixSeconds now, Visit visit) const {
    index_.for_each_entry_in(part, [&](Key, const Item* first) {
      for (const Item* item = first; item != nullptr; item = item->next_of_hash) {
        if (!is_dead(*item, now)) visit(*item);
      }
    });
  }

  /// Removes items of a part that have expired or were flushed, at most so many.
  template <std::size_t Most>
  Sweep erase_dead_in_part(std::size_t part, UnixSeconds now) {
    std::array<Item*, Most> dead;
    Sweep sweep;
    index_.for_each_entry_in(part, [&](Key, Item* first) {
      for (Item* item = first; item != nullptr; item = item->next_of_hash) {
        ++sweep.examined;
        if (sweep.erased < Most && is_dead(*item, now)) dead[sweep.erased++] = item;
      }
    });
    for (std::size_t i = 0; i < sweep.erased; ++i) {
      if (!dead[i]->is_fetched && !is_flushed(*dead[i])) ++sweep.expired_unfetched;
      erase(*dead[i]);
    }
    return sweep;
  }

  void flush() {
    for (std::size_t i = 0; i < partition_count_; ++i) partitions_[i].flush();
    flush_time_ = never;
  }

  /// To be flushed at a later time: by whoever sees that it has come.
  void flush_at(UnixSeconds time) { flush_time_ = time; }
  bool is_flush_due(UnixSeconds now) const { return is_over(flush_time_, now); }

  /// What is wrong, one a line: in the index, in the orders of recency, or between them. Runs alone.
  std::vector<std::string> violations() const;

 private:
  static Key key_of(std::uint64_t hash) { return static_cast<Key>(hash); }

  bool is_dead(const Item& item, UnixSeconds now) const { return is_over(item.expiry, now) || is_flushed(item); }
  bool is_flushed(const Item& item) const { return partition_of(item.hash).is_flushed(item); }

  // What is dead already does not count as an eviction.
  void evict(Partition& partition, UnixSeconds now, Trace& trace) {
    Item& oldest = *partition.oldest();
    if (is_dead(oldest, now)) {
      trace.add_reclaimed(oldest.is_fetched);
    } else {
      partition.count_eviction();
      note_eviction(oldest, trace);
    }
    erase(oldest);
  }

  static void note_eviction(const Item& item, Trace& trace) {
    Eviction eviction;
    eviction.is_fetched = item.is_fetched;
    eviction.key_size = item.key_size;
    eviction.value_size = item.value_size;
    eviction.expiry = item.expiry;
    eviction.used = item.used;
    trace.add(eviction);
    if (!trace.is_watched()) return;
    std::array<char, longest_key> key;  // the trace reads no memory of a pool
    std::memcpy(key.data(), item.key(), eviction.key_size);
    trace.add_key(key.data(), eviction.key_size);
  }

  HashIndex<Item*> index_;  // by hash; items with the same one are linked
  std::unique_ptr<Partition[]> partitions_;
  std::size_t partition_count_ = 0;
  UnixSeconds flush_time_ = never;
};

}  // namespace perdure::benchmarks::memcached

#endif
