#include "tx/thread_context.h"

#include "persist/environment.h"
#include "sched/thread_end.h"
#include "stats/counters.h"

namespace perdure::tx {

void ThreadContext::join(void* owner, void (*leave)(void* owner)) {
  persist::require_valid_environment();
  static sched::ThreadEnd end([](void* context) { static_cast<ThreadContext*>(context)->leave(); });
  end.arm(this);
  owner_ = owner;
  leave_ = leave;
  slot_ = &sched::thread_registry.acquire();
  stats::enroll_this_thread();
}

void ThreadContext::leave() {
  leave_(owner_);
  stats::withdraw_this_thread();
  sched::thread_registry.release(*slot_);
  slot_ = nullptr;
}

}  // namespace perdure::tx
