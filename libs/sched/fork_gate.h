#ifndef PERDURE_SCHED_FORK_GATE_H
#define PERDURE_SCHED_FORK_GATE_H

#include <new>
#include <shared_mutex>

#if __has_feature(thread_sanitizer) && !defined(PERDURE_SIMULATED)
#include <sanitizer/tsan_interface.h>
#endif

namespace perdure::sched {

/// Keeps a fork out while a thread does what a child could neither finish nor undo: opens or closes a pool. A fork
/// waits for it, before it takes any mutex that it holds (hold_during_fork.h): those are taken while the gate is held.
/// Whoever holds the gate waits for no fork.
class ForkGate {
 public:
  // Where the process forks: before and after the handlers of others, as often as there are handlers. Only the first of
  // them closes the gate, and the last opens it. A thread that forks while it holds the gate itself goes on.

  static void close() {
    if (own_.holds == 0 && own_.closed++ == 0) mutex_.lock();
  }
  static void open() {
    if (own_.holds == 0 && --own_.closed == 0) mutex_.unlock();
  }
  /// The child's only thread is not the one that closed the gate, as the mutex sees it: it gets a new one.
  static void open_in_child() {
    if (own_.holds != 0 || --own_.closed != 0) return;
#if __has_feature(thread_sanitizer) && !defined(PERDURE_SIMULATED)
    // For ThreadSanitizer it is the same thread, and the same mutex.
    __tsan_mutex_pre_unlock(&mutex_, 0);
    __tsan_mutex_post_unlock(&mutex_, 0);
#endif
    new (&mutex_) std::shared_mutex;
  }

  /// No fork while it lives. May be nested.
  class Hold {
   public:
    Hold() {
      if (own_.holds++ == 0) mutex_.lock_shared();
    }
    ~Hold() {
      if (--own_.holds == 0) mutex_.unlock_shared();
    }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
  };

 private:
  struct Own {
    unsigned holds;
    unsigned closed;
  };

  static inline constinit thread_local Own own_{0, 0};
  static inline std::shared_mutex mutex_;
};

}  // namespace perdure::sched

#endif
