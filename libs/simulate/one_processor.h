#ifndef PERDURE_SIMULATE_ONE_PROCESSOR_H
#define PERDURE_SIMULATE_ONE_PROCESSOR_H

#include <sched.h>

namespace perdure::simulate {

/// While one thread runs at a time, all are on one processor: handing over takes a tenth of the time then. Each time it
/// is the next processor, so that programs that run side by side do not stay together on one.
class OneProcessor {
 public:
  /// For the calling thread, and those that it creates.
  void enter() {
    if (sched_getaffinity(0, sizeof(before_), &before_) != 0) return;
    do {
      last_ = (last_ + 1) % CPU_SETSIZE;
    } while (!CPU_ISSET(last_, &before_));
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(last_, &one);
    has_entered_ = sched_setaffinity(0, sizeof(one), &one) == 0;
  }
  void leave() {
    if (has_entered_) sched_setaffinity(0, sizeof(before_), &before_);
    has_entered_ = false;
  }

 private:
  cpu_set_t before_{};
  unsigned last_ = 0;
  bool has_entered_ = false;
};

}  // namespace perdure::simulate

#endif
