#ifndef PERDURE_SCHED_BACKOFF_H
#define PERDURE_SCHED_BACKOFF_H

#include <sched.h>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "sync/spin.h"

namespace perdure::sched {

/// Randomised exponential back-off between the attempts of a transaction, below the hourglass threshold.
class Backoff {
 public:
  /// \param aborts  how often the transaction has aborted in a row, at least 1.
  void wait(unsigned aborts) {
    const unsigned exponent = std::min(smallest_exponent + aborts - 1, largest_exponent);
    const std::uint64_t pauses = next_random() & ((std::uint64_t{1} << exponent) - 1);
    if (pauses <= pauses_before_yield) return pause(pauses);
    // Where there are more threads than processors, what is in the way may be a thread that waits for this one: so give
    // it away, but do not come back later than without.
    const auto end = Clock::now() + pauses * about_one_pause;
    do {
      pause(pauses_before_yield);
      sched_yield();
    } while (Clock::now() < end);
  }

 private:
  using Clock = std::chrono::steady_clock;

  static constexpr unsigned smallest_exponent = 4;
  static constexpr unsigned largest_exponent = 16;
  static constexpr std::uint64_t pauses_before_yield = 256;
  static constexpr std::chrono::nanoseconds about_one_pause{20};  // processors differ

  static void pause(std::uint64_t times) {
    for (std::uint64_t i = 0; i < times; ++i) sync::pause();
  }

  // xorshift (Marsaglia 2003). Threads differ by their seeds, not by addresses, which differ from run to run.
  std::uint64_t next_random() {
    // Relaxed: only to be different. An odd factor, so that no seed is 0; its bits are mixed well.
    if (state_ == 0) state_ = seeds.fetch_add(1, std::memory_order_relaxed) * 0x9e3779b97f4a7c15;
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }

  static inline constinit std::atomic<std::uint64_t> seeds{1};
  std::uint64_t state_ = 0;
};

}  // namespace perdure::sched

#endif
