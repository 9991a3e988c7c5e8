#ifndef PERDURE_SYNC_CLOCK_H
#define PERDURE_SYNC_CLOCK_H

#include <atomic>
#include <cstdint>

namespace perdure::sync {

/// The global clock: counts writing commits, and so gives each a place in the commit order. Time 0 is before all.
class alignas(64) Clock {
 public:
  /// Acquire pairs with `tick`: whoever reads time t sees what the transactions up to t did before they ticked.
  std::uint64_t now() const { return time_.load(std::memory_order_acquire); }

  /// \returns the commit timestamp, unique and larger than every time read before. Sequentially consistent: a thread
  /// that publishes a bound before its tick is seen by every thread with a later timestamp (log/retirement.h).
  std::uint64_t tick() { return time_.fetch_add(1, std::memory_order_seq_cst) + 1; }

 private:
  std::atomic<std::uint64_t> time_{0};
};

inline constinit Clock commit_clock;

/// Later than every time: nothing is known.
inline constexpr std::uint64_t any_time = ~std::uint64_t{0};

}  // namespace perdure::sync

#endif
