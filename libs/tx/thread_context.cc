#include "tx/thread_context.h"

#include "persist/environment.h"
#include "stats/counters.h"

namespace perdure::tx {

/// Its destructor runs when the thread ends.
class ThreadEnd {
 public:
  void watch(ThreadContext& context) { context_ = &context; }
  ~ThreadEnd() {
    if (context_ != nullptr) context_->leave();
  }

 private:
  ThreadContext* context_ = nullptr;
};

void ThreadContext::join(void* owner, void (*leave)(void* owner)) {
  persist::require_valid_environment();
  static thread_local ThreadEnd end;
  end.watch(*this);
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
