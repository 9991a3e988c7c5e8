#ifndef PERDURE_BENCHMARKS_MEMCACHED_COUNTERS_H
#define PERDURE_BENCHMARKS_MEMCACHED_COUNTERS_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace perdure::benchmarks::memcached {

enum class Count : std::uint8_t {
  cmd_get,
  cmd_set,
  cmd_flush,
  cmd_touch,
  cmd_meta,
  get_hits,
  get_misses,
  get_expired,
  get_flushed,
  delete_misses,
  delete_hits,
  incr_misses,
  incr_hits,
  decr_misses,
  decr_hits,
  cas_misses,
  cas_hits,
  cas_badval,
  touch_hits,
  touch_misses,
  store_too_large,
  store_no_memory,
  bytes_read,
  bytes_written,
  total_items,  // from here on by item, not by command
  expired_unfetched,
  evicted_unfetched,
  evictions,
  reclaimed,
  crawler_reclaimed,
  crawler_items_checked,
  evicted_nonzero,
  last_  // how many there are
};

inline constexpr std::size_t counts = static_cast<std::size_t>(Count::last_);

/// As `stats` names them.
inline constexpr std::array<std::string_view, counts> count_names{"cmd_get",
                                                                  "cmd_set",
                                                                  "cmd_flush",
                                                                  "cmd_touch",
                                                                  "cmd_meta",
                                                                  "get_hits",
                                                                  "get_misses",
                                                                  "get_expired",
                                                                  "get_flushed",
                                                                  "delete_misses",
                                                                  "delete_hits",
                                                                  "incr_misses",
                                                                  "incr_hits",
                                                                  "decr_misses",
                                                                  "decr_hits",
                                                                  "cas_misses",
                                                                  "cas_hits",
                                                                  "cas_badval",
                                                                  "touch_hits",
                                                                  "touch_misses",
                                                                  "store_too_large",
                                                                  "store_no_memory",
                                                                  "bytes_read",
                                                                  "bytes_written",
                                                                  "total_items",
                                                                  "expired_unfetched",
                                                                  "evicted_unfetched",
                                                                  "evictions",
                                                                  "reclaimed",
                                                                  "crawler_reclaimed",
                                                                  "crawler_items_checked",
                                                                  "evicted_nonzero"};

/// What one thread counts. Volatile: statistics begin anew with each process.
class Counters {
 public:
  using Values = std::array<std::uint64_t, counts>;

  /// By the thread that they belong to: nobody else writes, so no read-modify-write is needed.
  void add(Count count, std::uint64_t number = 1) {
    auto& value = values_[static_cast<std::size_t>(count)];
    value.store(value.load(std::memory_order_relaxed) + number, std::memory_order_relaxed);
  }

  /// By any thread. Approximate while the owner counts.
  void add_to(Values& sums) const {
    for (std::size_t i = 0; i < counts; ++i) sums[i] += values_[i].load(std::memory_order_relaxed);
  }

 private:
  alignas(64) std::array<std::atomic<std::uint64_t>, counts> values_{};
};

}  // namespace perdure::benchmarks::memcached

#endif
