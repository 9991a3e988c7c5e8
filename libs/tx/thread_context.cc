#include "tx/thread_context.h"

#include "persist/environment.h"
#include "pool/fork.h"
#include "sched/thread_end.h"
#include "stats/counters.h"

namespace perdure::tx {

namespace {

thread_local constinit ThreadContext* of_this_thread = nullptr;

}  // namespace

void ThreadContext::join(void* owner, void (*leave)(void* owner)) {
  persist::require_valid_environment();
  if (pool::is_forked_child()) pool::refuse_in_forked_child();
  [[maybe_unused]] static const bool is_hooked = (pool::add_fork_hook(leave_behind), true);
  of_this_thread = this;
  static sched::ThreadEnd end([](void* context) { static_cast<ThreadContext*>(context)->leave(); });
  end.arm(this);
  owner_ = owner;
  leave_ = leave;
  slot_ = &sched::thread_registry.acquire();
  stats::enroll_this_thread();
}

/// What the thread has is its parent's, and is not given back: it would be, in pools.
void ThreadContext::leave_behind() {
  if (of_this_thread != nullptr) of_this_thread->slot_ = nullptr;
}

void ThreadContext::leave() {
  if (!is_joined()) return;
  leave_(owner_);
  stats::withdraw_this_thread();
  sched::thread_registry.release(*slot_);
  slot_ = nullptr;
}

}  // namespace perdure::tx
