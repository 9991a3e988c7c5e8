#ifndef PERDURE_POOL_BACKGROUND_THREAD_H
#define PERDURE_POOL_BACKGROUND_THREAD_H

#include <pthread.h>

#include <csignal>
#include <functional>
#include <thread>
#include <utility>

#include "pool/fork.h"

namespace perdure::pool {

/// While it lives, threads that are started get no signals: the program's handlers are for its own threads.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

/// A thread that works for a pool while that is open.
class BackgroundThread {
 public:
  BackgroundThread() = default;
  /// \throws std::system_error when there can be no thread.
  explicit BackgroundThread(std::function<void()> work) {
    const SignalsBlocked blocked;
    thread_ = std::thread(std::move(work));
  }
  BackgroundThread(const BackgroundThread&) = delete;
  BackgroundThread& operator=(const BackgroundThread&) = delete;
  /// Waits for its end, but not in a forked child, which has no such thread.
  ~BackgroundThread() {
    if (is_forked_child())
      new std::thread(std::move(thread_));  // nothing to wait for, and none to detach
    else if (thread_.joinable())
      thread_.join();
  }

 private:
  std::thread thread_;
};

}  // namespace perdure::pool

#endif
