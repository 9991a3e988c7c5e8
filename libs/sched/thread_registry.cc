#include "sched/thread_registry.h"

namespace perdure::sched {

ThreadSlot& ThreadRegistry::acquire() {
  for (ThreadSlot* slot = first_.load(std::memory_order_acquire); slot != nullptr; slot = slot->next)
    if (!slot->in_use.exchange(true, std::memory_order_acq_rel)) return *slot;
  auto* const slot = new ThreadSlot;
  slot->in_use.store(true, std::memory_order_relaxed);
  slot->next = first_.load(std::memory_order_relaxed);
  while (!first_.compare_exchange_weak(slot->next, slot, std::memory_order_release, std::memory_order_relaxed)) {
  }
  return *slot;
}

void ThreadRegistry::release(ThreadSlot& slot) {
  slot.running_since.store(never, std::memory_order_release);
  slot.unretired_since.store(never, std::memory_order_release);
  slot.has_copy_of.store(0, std::memory_order_release);
  slot.completes.store(0, std::memory_order_release);
  slot.keeps.store(0, std::memory_order_release);
  slot.in_use.store(false, std::memory_order_release);
}

void ThreadRegistry::forget_threads() {
  for (ThreadSlot* slot = first_.load(std::memory_order_relaxed); slot != nullptr; slot = slot->next) {
    slot->owner.store(nullptr, std::memory_order_relaxed);
    slot->announced.store(nullptr, std::memory_order_relaxed);
    slot->uses_other_memory_since.store(never, std::memory_order_relaxed);
    release(*slot);
  }
}

}  // namespace perdure::sched
