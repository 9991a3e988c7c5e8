#ifndef PERDURE_EXAMPLES_WAITING_SEMAPHORE_H
#define PERDURE_EXAMPLES_WAITING_SEMAPHORE_H

#include <chrono>

#include <perdure/perdure.h>

/// A number of places, which are taken and given back. Who is killed with a place has it still: take it in the
/// transaction that notes who has it.
class Semaphore {
 public:
  explicit Semaphore(long places = 0) : places_(places) {}

  void release() {
    TM_BEGIN { ++places_; } TM_END;
  }

  /// Waits as long as there is none.
  void acquire() {
    TM_BEGIN {
      if (places_ == 0) TM_RETRY;
      --places_;
    } TM_END;
  }

  /// \throws perdure::RetryTimeout when there was none for so long.
  void acquire_for(std::chrono::nanoseconds time) {
    TM_BEGIN {
      if (places_ == 0) perdure::retry_for(time);
      --places_;
    } TM_END;
  }

 private:
  long places_;
};

#endif
