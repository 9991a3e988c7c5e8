#ifndef PERDURE_SCHED_BACKOFF_H
#define PERDURE_SCHED_BACKOFF_H

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
    for (std::uint64_t i = 0; i < pauses; ++i) sync::pause();
  }

 private:
  static constexpr unsigned smallest_exponent = 4;
  static constexpr unsigned largest_exponent = 16;

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
