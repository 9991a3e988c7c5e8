#ifndef PERDURE_BENCHMARKS_MEMCACHED_STORE_H
#define PERDURE_BENCHMARKS_MEMCACHED_STORE_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cache.h"
#include "harvest.h"
#include "perdure/pool.h"
#include "request.h"

namespace perdure::benchmarks::memcached {

struct Limits {
  std::size_t memory = std::size_t{64} << 20;  // bytes of all items together
  std::size_t item = std::size_t{1} << 20;     // bytes of one item: key, value and what belongs to it
};

/// How items are asked for.
struct Fetch {
  bool touches = false;  // gives them the expiry `expiry`
  bool wants_value = true;
  bool leaves_recency = false;
  bool is_meta = false;   // may be told to make a stale value anew
  bool vivifies = false;  // adds an empty item where there is none
  bool recaches = false;  // asks for the right to make it anew when it expires before `recache_before`
  bool is_binary_key = false;
  UnixSeconds expiry = never;
  UnixSeconds vivified_expiry = never;
  UnixSeconds recache_before = never;
};

struct Put {
  Mode mode = Mode::set;
  bool has_cas = false;
  bool invalidates = false;
  bool is_binary_key = false;
  std::uint32_t flags = 0;
  UnixSeconds expiry = never;
  std::uint64_t cas = 0;
};

struct Erase {
  bool has_cas = false;
  bool invalidates = false;  // marks the item as stale instead
  bool touches = false;
  UnixSeconds expiry = never;
  std::uint64_t cas = 0;
};

struct Arithmetic {
  bool is_decrement = false;
  bool has_cas = false;
  bool vivifies = false;
  bool touches = false;
  bool is_binary_key = false;
  std::uint64_t delta = 1;
  std::uint64_t initial = 0;
  std::uint64_t cas = 0;
  UnixSeconds expiry = never;
  UnixSeconds vivified_expiry = never;
};

enum class Outcome : std::uint8_t { done, not_stored, exists, not_found, no_number };

struct PutResult {
  Outcome outcome = Outcome::done;
  std::uint64_t cas = 0;
};

struct ArithmeticResult {
  Outcome outcome = Outcome::done;
  bool is_created = false;
  std::uint64_t number = 0;
  std::uint64_t cas = 0;
  UnixSeconds expiry = never;  // as it was
  UnixSeconds new_expiry = never;
};

struct Summary {
  std::uint64_t items = 0;
  std::uint64_t bytes = 0;
  std::uint64_t evictions = 0;
  UnixSeconds oldest_use = 0;  // when the item was used that comes last in an order of recency; 0: there is none
};

/// The commands: each is one transaction on the cache in the pool, and durable when its function returns.
///
/// May be used by several threads at once. Where a function needs memory and there is none, it throws std::bad_alloc,
/// and nothing has changed; what is in `trace` then is of no meaning.
class Store {
 public:
  /// Makes the cache, if the pool has none.
  Store(Pool& pool, const Limits& limits);

  /// Bytes of all items together.
  std::size_t memory_limit() const { return partition_limit_ * cache_.partitions(); }
  /// From now on. What is there already beyond it goes as new items come.
  void set_memory_limit(std::size_t bytes) { partition_limit_ = bytes / cache_.partitions(); }

  /// Looks for all the keys, as of one moment.
  /// \param harvest  what is found, in the order of the keys.
  void fetch(const std::vector<std::string_view>& keys, const Fetch& fetch, UnixSeconds now, Harvest& harvest,
             Trace& trace);
  void fetch(const ItemKey& key, const Fetch& fetch, UnixSeconds now, Harvest& harvest, Trace& trace);

  PutResult put(const ItemKey& key, const Put& put, std::string_view value, UnixSeconds now, Trace& trace);
  Outcome erase(const ItemKey& key, const Erase& erase, UnixSeconds now, Trace& trace);
  ArithmeticResult add(const ItemKey& key, const Arithmetic& arithmetic, UnixSeconds now, Trace& trace);

  /// \param time  when: 0 or a time that has come, at once.
  void flush(UnixSeconds time, UnixSeconds now);
  /// To be called every second: does what is due.
  void tick(UnixSeconds now);

  Summary summary() const;

  /// The index in parts, of each of which one transaction is made.
  std::size_t parts() const { return cache_.index_parts(); }
  /// \param harvest  the items of the part, and their keys.
  void list(std::size_t part, UnixSeconds now, Harvest& harvest) const;
  /// Removes what has expired, or was flushed, of a part.
  Sweep sweep(std::size_t part, UnixSeconds now);

  bool is_too_large(std::size_t key_size, std::size_t value_size) const {
    return Item::footprint(key_size, value_size) > limits_.item;
  }

  /// \see Cache::violations
  std::vector<std::string> violations() const { return cache_.violations(); }

 private:
  Cache& cache_;
  const Limits limits_;
  std::atomic<std::size_t> partition_limit_;  // a hint to each transaction: nothing is ordered by it
};

}  // namespace perdure::benchmarks::memcached

#endif
