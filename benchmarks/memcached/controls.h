#ifndef PERDURE_BENCHMARKS_MEMCACHED_CONTROLS_H
#define PERDURE_BENCHMARKS_MEMCACHED_CONTROLS_H

#include <atomic>
#include <cstdint>

namespace perdure::benchmarks::memcached {

/// What clients may change of a server while it runs. Any thread reads and writes; nothing else depends on the order.
struct Controls {
  std::atomic<bool> crawls = true;         // lru_crawler enable, disable
  std::atomic<bool> counts_sizes = false;  // stats sizes_enable, sizes_disable
  std::atomic<std::uint32_t> crawler_sleep_us = 100;
  std::atomic<std::uint32_t> crawled_at_once = 0;
};

}  // namespace perdure::benchmarks::memcached

#endif
