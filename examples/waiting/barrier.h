#ifndef PERDURE_EXAMPLES_WAITING_BARRIER_H
#define PERDURE_EXAMPLES_WAITING_BARRIER_H

#include <array>
#include <cstddef>

#include <perdure/perdure.h>

/// Where `participants` threads wait for each other, phase after phase. Who was killed while it waited arrives again at
/// the phase it was in, which changes nothing: so none is counted twice.
template <std::size_t participants>
class Barrier {
 public:
  /// Waits until all have arrived at this phase, or gone past it. The first one is 1.
  void arrive_and_wait(std::size_t participant, long phase) {
    TM_BEGIN { arrived_[participant] = phase; } TM_END;
    TM_BEGIN {
      for (const long other : arrived_)
        if (other < phase) TM_RETRY;
    } TM_END;
  }

 private:
  std::array<long, participants> arrived_{};
};

#endif
