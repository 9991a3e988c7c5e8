#ifndef PERDURE_SCHED_BACKOFF_H
#define PERDURE_SCHED_BACKOFF_H

#include <sched.h>
#include <algorithm>
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
    const std::uint64_t end = __builtin_ia32_rdtsc() + pauses * cycles_per_pause;
    do {
      pause(pauses_before_yield);
      sched_yield();
    } while (__builtin_ia32_rdtsc() < end);
  }

 private:
  static constexpr unsigned smallest_exponent = 4;
  static constexpr unsigned largest_exponent = 16;
  static constexpr std::uint64_t pauses_before_yield = 256;
  static constexpr std::uint64_t cycles_per_pause = 64;  // roughly; processors differ

  static void pause(std::uint64_t times) {
    for (std::uint64_t i = 0; i < times; ++i) sync::pause();
  }

  // xorshift (Marsaglia 2003), seeded by the object's address so that threads differ.
  std::uint64_t next_random() {
    if (state_ == 0) state_ = reinterpret_cast<std::uintptr_t>(this) | 1;
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }

  std::uint64_t state_ = 0;
};

}  // namespace perdure::sched

#endif
