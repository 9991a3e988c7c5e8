#ifndef PERDURE_SYNC_PATIENCE_H
#define PERDURE_SYNC_PATIENCE_H

#include <chrono>

#include "sync/spin.h"

namespace perdure::sync {

/// Waits for what others will probably do, but not for ever: they may be stopped.
class Patience {
 public:
  /// Some moments, after which it is no use to wait on. \returns whether they are over.
  bool wait() {
    spinner_.wait();
    return is_simulated ? ++looks_ == most_looks : Clock::now() - begin_ > longest;
  }

 private:
  using Clock = std::chrono::steady_clock;
#ifdef PERDURE_SIMULATED
  static constexpr bool is_simulated = true;  // by a scheduler for which time is the number of steps
#else
  static constexpr bool is_simulated = false;
#endif
  static constexpr unsigned most_looks = 4;
  // Dozens of small updates. Another thread that has lost its processor comes again within some of these.
  static constexpr std::chrono::microseconds longest{50};

  Spinner spinner_;
  Clock::time_point begin_ = is_simulated ? Clock::time_point{} : Clock::now();
  unsigned looks_ = 0;
};

}  // namespace perdure::sync

#endif
