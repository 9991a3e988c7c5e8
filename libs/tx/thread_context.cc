#include "tx/thread_context.h"

#include <pthread.h>

#include <atomic>

#include "persist/environment.h"
#include "pool/fork.h"
#include "sched/thread_end.h"
#include "stats/counters.h"

namespace perdure::tx {

namespace {

constinit std::atomic<const ThreadHooks*> hooks_of_program{nullptr};
thread_local constinit ThreadContext* of_this_thread = nullptr;

}  // namespace

void ThreadContext::join(void* transaction, const ThreadHooks& hooks) {
  persistence::require_valid_environment();
  hooks_of_program.store(&hooks, std::memory_order_relaxed);
  static sched::ThreadEnd end([](void* context) { static_cast<ThreadContext*>(context)->leave(); });
  [[maybe_unused]] static const bool is_hooked = [] {
    pool::when_child_uses_pool(leave_body);
    return pthread_atfork(nullptr, nullptr, after_fork_in_child) == 0;
  }();
  of_this_thread = this;
  end.arm(this);
  slot_ = &sched::thread_registry.acquire();
  stats::enroll_this_thread();
  slot_->owner.store(transaction, std::memory_order_release);
}

void ThreadContext::leave() {
  if (!is_joined()) return;
  void* const transaction = slot_->owner.load(std::memory_order_relaxed);
  slot_->owner.store(nullptr, std::memory_order_release);  // before what it points to is given back
  hooks_of_program.load(std::memory_order_relaxed)->leave(transaction);
  stats::withdraw_this_thread();
  sched::thread_registry.release(*slot_);
  slot_ = nullptr;
}

/// The threads that ran transactions are not there, and nobody will do what they had still to do. Their memory is,
/// with their stacks and thread-local variables.
///
/// A child finds of what the other threads stored a state that was there at one moment: while the kernel copies the
/// page tables it keeps out the threads that have to copy a page first, and those that have not write to what the child
/// gets.
void ThreadContext::after_fork_in_child() {
  const ThreadHooks& hooks = *hooks_of_program.load(std::memory_order_relaxed);
  void* own = nullptr;
  if (of_this_thread != nullptr && of_this_thread->is_joined())
    own = of_this_thread->slot_->owner.load(std::memory_order_relaxed);
  // A transaction that forks, by a function that was said to be pure, goes on with what it has.
  if (own != nullptr && hooks.is_running(own)) return;
  pool::PrivateMappings memory;
  sched::thread_registry.for_each([&](const sched::ThreadSlot& slot) {
    if (void* const transaction = slot.owner.load(std::memory_order_relaxed)) hooks.abandon(transaction, memory);
  });
  hooks.begin_anew(own);
  sched::thread_registry.forget_threads();
}

void ThreadContext::leave_body() {
  if (of_this_thread == nullptr || !of_this_thread->is_joined()) return;
  void* const transaction = of_this_thread->slot_->owner.load(std::memory_order_relaxed);
  hooks_of_program.load(std::memory_order_relaxed)->leave_body(transaction);
}

}  // namespace perdure::tx
