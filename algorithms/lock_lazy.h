#ifndef PERDURE_ALGORITHMS_LOCK_LAZY_H
#define PERDURE_ALGORITHMS_LOCK_LAZY_H

#include <cstdint>
#include <cstring>

#include "algorithms/mode.h"
#include "algorithms/redo_algorithm.h"
#include "sync/clock.h"
#include "sync/fair_lock.h"
#include "tx/algorithm.h"

namespace perdure::algorithms {

/// One global lock, redo log. Never aborts by itself. (PACT'19, section III.C.)
template <class ModeType>
class LockLazy : public RedoAlgorithm<LockLazy<ModeType>, ModeType> {
  using Base = RedoAlgorithm<LockLazy, ModeType>;
  friend Base;
  using Base::commit_timestamp_;
  using Base::writes_;

 public:
  static constexpr tx::Traits traits{
      .needs_quiescence = false, .has_doomed_readers = false, .writes_in_place = false, .one_at_a_time = true};

  constexpr LockLazy() = default;

  std::uint64_t begin(sched::ThreadSlot&) {
    global_lock.lock();
    return 0;
  }

  template <tx::Memory M>
  bool read_stripe(void* to, const void* from, std::size_t bytes) {
    if (writes_.template may_hold<M>(from, bytes)) return false;
    std::memcpy(to, from, bytes);
    return true;
  }

  bool extend() { return true; }

  template <class Captured>
  tx::CommitResult commit(sched::ThreadSlot& slot, const Captured& captured) {
    if (writes_.empty()) {
      const tx::CommitResult result = Base::commit_read_only(captured, sync::commit_clock.now());
      global_lock.unlock();
      return result;
    }
    // The order of the commits is that of the lock; the clock gives it numbers, by which logs are retired and replayed.
    writes_.announce(slot, captured, sync::commit_clock.now());
    commit_timestamp_ = sync::commit_clock.tick();
    if (const auto failure = writes_.prepare(captured); failure != tx::CommitResult::committed) return failure;
    return Base::commit_writes(slot, [] { global_lock.unlock(); });
  }

  void roll_back(sched::ThreadSlot& slot) {
    Base::give_up(slot);
    global_lock.unlock();
  }

  void release() { writes_.release(); }
  static void forget_threads() { global_lock.forget_threads(); }

 private:
  template <class T>
  static T consistent_read(const T* address) {
    return *address;
  }

  static void reset() {}

  static inline constinit sync::FairLock global_lock;
};

}  // namespace perdure::algorithms

#endif
