#ifndef PERDURE_PERSIST_COUNTS_H
#define PERDURE_PERSIST_COUNTS_H

#include <atomic>
#include <cstdint>

#ifndef PERDURE_STATISTICS
#define PERDURE_STATISTICS 1
#endif

namespace perdure {

/// Whether events are counted; off, counting compiles to nothing.
inline constexpr bool statistics_enabled = PERDURE_STATISTICS != 0;

/// A counter that one thread increments and any thread may read. Relaxed load and store instead of a locked
/// read-modify-write: there is only one writer.
class Counter {
 public:
  void add(std::uint64_t amount) noexcept {
    if constexpr (statistics_enabled)
      value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
  std::uint64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }
  void reset() noexcept { value_.store(0, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

namespace persistence {

/// What one thread's persistence domain did. The layer knows nothing of threads: whoever sums over threads keeps the
/// address of each thread's counts.
struct Counts {
  Counter flushes;
  Counter fences;

  void count_flush() noexcept { flushes.add(1); }
  void count_fence() noexcept { fences.add(1); }
};

inline thread_local constinit Counts counts;

}  // namespace persistence
}  // namespace perdure

#endif
