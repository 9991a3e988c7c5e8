#ifndef PERDURE_ALGORITHMS_LOCK_EAGER_H
#define PERDURE_ALGORITHMS_LOCK_EAGER_H

#include <cstdint>

#include "algorithms/mode.h"
#include "algorithms/undo_writes.h"
#include "persist/domain.h"
#include "sync/ticket_lock.h"
#include "tx/algorithm.h"

namespace perdure::algorithms {

/// One global lock, updates in place, undo log. Reads are plain loads. Never aborts by itself; but an exception that
/// leaves a transaction rolls it back under every algorithm, and so does recovery. (PACT'19, section III.C.)
template <class ModeType, persist::Domain Domain>
class LockEager {
 public:
  using Mode = ModeType;
  static constexpr tx::Traits traits{.needs_quiescence = false, .has_doomed_readers = false, .writes_in_place = true};

  constexpr LockEager() = default;

  std::uint64_t begin(sched::ThreadSlot&) {
    global_lock.lock();
    return 0;
  }

  template <tx::Memory, class T>
  T read(const T* address) {
    return *address;
  }

  template <tx::Memory M, class T>
  void write(T* address, T value) {
    writes_.template write<M>(address, value);
  }

  bool extend() { return true; }

  template <class Captured>
  tx::CommitResult commit(sched::ThreadSlot&, const Captured& captured) {
    const bool read_only = writes_.empty();
    writes_.commit(captured);
    global_lock.unlock();
    return read_only ? tx::CommitResult::read_only : tx::CommitResult::committed;
  }

  void roll_back(sched::ThreadSlot&) {
    writes_.roll_back();
    global_lock.unlock();
  }

  std::uint64_t commit_timestamp() const { return 0; }
  void release() { writes_.release(); }

 private:
  static inline constinit sync::TicketLock global_lock;
  UndoWrites<Mode, Domain> writes_;
};

}  // namespace perdure::algorithms

#endif
