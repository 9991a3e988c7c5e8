#ifndef PERDURE_ALGORITHMS_LOCK_H
#define PERDURE_ALGORITHMS_LOCK_H

#include <cstdint>

#include "algorithms/mode.h"
#include "log/volatile_undo_log.h"
#include "persist/domain.h"
#include "sync/spin.h"
#include "tx/algorithm.h"

namespace perdure::algorithms {

/// One global lock, updates in place, not durable. Never aborts by itself; the undo log is there because an exception
/// that leaves a transaction rolls it back under every algorithm. (PACT'19, section III.C.)
template <class ModeType, persist::Domain Domain>
class Lock {
  static_assert(!ModeType::durable, "updates in place under a lock are made durable by lock_eager and lock_lazy");

 public:
  using Mode = ModeType;
  static constexpr tx::Traits traits{.needs_quiescence = false, .has_doomed_readers = false, .writes_in_place = true};

  constexpr Lock() = default;

  std::uint64_t begin(sched::ThreadSlot&) {
    global_lock.lock();
    return 0;
  }

  template <tx::Memory, class T>
  T read(const T* address) {
    return *address;
  }

  template <tx::Memory, class T>
  void write(T* address, T value) {
    undo_.save(address);
    *address = value;
  }

  template <class Captured>
  tx::CommitResult commit(sched::ThreadSlot&, const Captured&) {
    const bool wrote = !undo_.empty();
    undo_.clear();
    global_lock.unlock();
    return wrote ? tx::CommitResult::committed : tx::CommitResult::read_only;
  }

  void roll_back(sched::ThreadSlot&) {
    undo_.restore();
    global_lock.unlock();
  }

  std::uint64_t commit_timestamp() const { return 0; }
  void release() { undo_.release(); }

 private:
  static inline constinit sync::SpinLock global_lock;
  log::VolatileUndoLog undo_;
};

}  // namespace perdure::algorithms

#endif
