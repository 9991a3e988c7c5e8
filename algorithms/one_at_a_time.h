#ifndef PERDURE_ALGORITHMS_ONE_AT_A_TIME_H
#define PERDURE_ALGORITHMS_ONE_AT_A_TIME_H

#include <cstdint>
#include <cstring>

#include "sync/fair_lock.h"
#include "tx/algorithm.h"

namespace perdure::algorithms {

/// What the algorithms have in common that hold one lock from begin to end and change memory in place: reads are plain
/// loads, and nothing ever conflicts.
class OneAtATime {
 public:
  static constexpr tx::Traits traits{
      .needs_quiescence = false, .has_doomed_readers = false, .writes_in_place = true, .reads_are_loads = true};

  std::uint64_t begin(sched::ThreadSlot&) {
    global_lock.lock();
    return 0;
  }

  template <tx::Memory, class T>
  T read(const T* address) {
    return *address;
  }

  template <tx::Memory>
  bool read_stripe(void* to, const void* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
    return true;
  }

  bool extend() { return true; }
  std::uint64_t commit_timestamp() const { return 0; }

 protected:
  constexpr OneAtATime() = default;

  void unlock() { global_lock.unlock(); }

 private:
  static inline constinit sync::FairLock global_lock;
};

}  // namespace perdure::algorithms

#endif
