#ifndef PERDURE_TX_THREAD_CONTEXT_H
#define PERDURE_TX_THREAD_CONTEXT_H

#include "pool/private_mappings.h"
#include "sched/thread_registry.h"

namespace perdure::tx {

/// What becomes of a thread's transaction, whose type only the library knows, when the thread ends or is left behind by
/// a fork. The same for all threads of a program.
struct ThreadHooks {
  void (*leave)(void* transaction);  ///< the thread ends, and then gives up its slot
  bool (*is_running)(const void* transaction);

  // In a forked child, before it has other threads:

  void (*abandon)(void* transaction, pool::PrivateMappings& memory);  ///< of a thread that is not there
  void (*begin_anew)(void* transaction);  ///< all others are abandoned; null when this thread has none

  /// Leaves the body of the running transaction if it can be left: it has touched a pool of the parent.
  void (*leave_body)(void* transaction);
};

/// A thread's membership among the threads that run transactions: its slot, its counters, and what is to be done
/// when it ends. Trivially destructible; `join` arranges for the end.
class ThreadContext {
 public:
  constexpr ThreadContext() = default;

  bool is_joined() const { return slot_ != nullptr; }
  sched::ThreadSlot& slot() const { return *slot_; }

  void join(void* transaction, const ThreadHooks& hooks);
  /// Also called when the thread ends.
  void leave();

 private:
  static void after_fork_in_child();
  static void leave_body();

  sched::ThreadSlot* slot_ = nullptr;
};

}  // namespace perdure::tx

#endif
