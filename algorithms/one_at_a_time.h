#ifndef PERDURE_ALGORITHMS_ONE_AT_A_TIME_H
#define PERDURE_ALGORITHMS_ONE_AT_A_TIME_H

#include <cstdint>

#include "algorithms/plain_reads.h"
#include "pool/private_mappings.h"
#include "sync/fair_lock.h"

namespace perdure::algorithms {

/// One lock, held from begin to end.
class OneAtATime : public PlainReads {
 public:
  std::uint64_t begin(sched::ThreadSlot&) {
    global_lock.lock();
    return 0;
  }

  /// Of those that do not roll back.
  void abandon(pool::PrivateMappings&) {}
  static void forget_threads() { global_lock.forget_threads(); }

 protected:
  constexpr OneAtATime() = default;

  void unlock() { global_lock.unlock(); }

 private:
  static inline constinit sync::FairLock global_lock;
};

}  // namespace perdure::algorithms

#endif
