#ifndef PERDURE_SCHED_HOLD_DURING_FORK_H
#define PERDURE_SCHED_HOLD_DURING_FORK_H

#include <pthread.h>

#include "sched/fork_gate.h"

namespace perdure::sched {

/// Has the forking thread hold the mutex while the process forks, so that the child finds it free, and what it guards
/// whole. To be called once, when the mutex is made. No mutex of this kind is taken while holding another one, so their
/// order does not matter.
/// \tparam mutex     returns it.
/// \tparam in_child  called in the child, which still holds it: forgets threads that the child does not have.
template <auto mutex, void (*in_child)() = nullptr>
void hold_during_fork() {
  pthread_atfork(
      [] {
        ForkGate::close();
        mutex().lock();
      },
      [] {
        mutex().unlock();
        ForkGate::open();
      },
      [] {
        if constexpr (in_child != nullptr) in_child();
        mutex().unlock();
        ForkGate::open_in_child();
      });
}

}  // namespace perdure::sched

#endif
