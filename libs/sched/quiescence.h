#ifndef PERDURE_SCHED_QUIESCENCE_H
#define PERDURE_SCHED_QUIESCENCE_H

#include "sched/thread_registry.h"
#include "sync/spin.h"

namespace perdure::sched {

/// Waits until every transaction that started before `commit_timestamp` has ended: after that, memory which the
/// committed transaction made private may be used outside transactions, and unmapped. (PACT'19, section II.C.)
/// \returns whether it had to wait.
inline bool quiesce(std::uint64_t commit_timestamp, const ThreadSlot* self) {
  bool waited = false;
  thread_registry.for_each([&](const ThreadSlot& slot) {
    if (&slot == self) return;
    sync::Spinner spinner;
    while (slot.running_since.load(std::memory_order_acquire) < commit_timestamp) {
      waited = true;
      spinner.wait();
    }
  });
  return waited;
}

}  // namespace perdure::sched

#endif
