#ifndef PERDURE_ALGORITHMS_LOCK_EAGER_H
#define PERDURE_ALGORITHMS_LOCK_EAGER_H

#include "algorithms/mode.h"
#include "algorithms/one_at_a_time.h"
#include "algorithms/undo_writes.h"
#include "tx/algorithm.h"

namespace perdure::algorithms {

/// One global lock, updates in place, undo log. Reads are plain loads. Never aborts by itself; but an exception that
/// leaves a transaction rolls it back under every algorithm, and so does recovery. (PACT'19, section III.C.)
template <class ModeType>
class LockEager : public OneAtATime {
 public:
  using Mode = ModeType;

  constexpr LockEager() = default;

  template <tx::Memory M, class T>
  void write(T* address, T value) {
    writes_.template write<M>(address, value);
  }

  template <class Captured>
  tx::CommitResult commit(sched::ThreadSlot&, const Captured& captured) {
    const bool read_only = writes_.empty();
    writes_.commit(captured);
    unlock();
    return read_only ? tx::CommitResult::read_only : tx::CommitResult::committed;
  }

  void roll_back(sched::ThreadSlot&) {
    writes_.roll_back();
    unlock();
  }

  void abandon(pool::PrivateMappings& memory) { writes_.abandon(memory); }
  void release() { writes_.release(); }

 private:
  UndoWrites<Mode> writes_;
};

}  // namespace perdure::algorithms

#endif
