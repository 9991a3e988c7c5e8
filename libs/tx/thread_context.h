#ifndef PERDURE_TX_THREAD_CONTEXT_H
#define PERDURE_TX_THREAD_CONTEXT_H

#include "sched/thread_registry.h"

namespace perdure::tx {

/// A thread's membership among the threads that run transactions: its slot, its counters, and what is to be done
/// when it ends. Trivially destructible; `join` arranges for the end.
class ThreadContext {
 public:
  constexpr ThreadContext() = default;

  bool is_joined() const { return slot_ != nullptr; }
  sched::ThreadSlot& slot() const { return *slot_; }

  /// \param leave  called with `owner` when the thread ends, before the slot is given up.
  /// \throws PoolError (Kind::in_use) in a process that was forked while pools were open.
  void join(void* owner, void (*leave)(void* owner));

 private:
  void leave();
  static void leave_behind();  // in a forked child

  sched::ThreadSlot* slot_ = nullptr;
  void* owner_ = nullptr;
  void (*leave_)(void*) = nullptr;
};

}  // namespace perdure::tx

#endif
