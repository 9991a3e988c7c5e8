#ifndef PERDURE_SYNC_FAIR_LOCK_H
#define PERDURE_SYNC_FAIR_LOCK_H

#include <atomic>

#include "sync/spin.h"
#include "sync/ticket_lock.h"

namespace perdure::sync {

/// A lock for critical sections of any length. Whoever comes may take it when it is free; those who find it taken queue
/// up, and when the first of them has waited for some microseconds, nobody else may come before it.
///
/// With a lock that is always passed on in the order of asking, each turn waits until the operating system has brought
/// the right thread to a processor, as soon as there are more threads than cores; with one that is never, a thread that
/// releases it and asks again at once can keep all others out for ever.
class FairLock {
 public:
  void lock() {
    if (!first_is_impatient_.load(std::memory_order_relaxed) && try_take()) [[likely]]
      return;
    wait();
  }

  void unlock() { held_.store(false, std::memory_order_release); }

 private:
  /// The one who waits looks seldom: each look takes the lock's line away from whoever passes the lock on to itself.
  static constexpr unsigned pauses_between_looks = 64;
  static constexpr unsigned patience = 64;  // looks: some dozens of microseconds

  bool try_take() { return !held_.load(std::memory_order_relaxed) && !held_.exchange(true, std::memory_order_acquire); }

  [[gnu::noinline]] void wait() {
    queue_.lock();
    for (unsigned looks = 0; looks < patience; ++looks) {
      if (try_take()) return queue_.unlock();
      for (unsigned i = 0; i < pauses_between_looks; ++i) pause();
    }
    first_is_impatient_.store(true, std::memory_order_relaxed);
    for (Spinner spinner; !try_take();) spinner.wait();
    first_is_impatient_.store(false, std::memory_order_relaxed);
    queue_.unlock();
  }

  alignas(64) std::atomic<bool> held_{false};
  std::atomic<bool> first_is_impatient_{false};
  TicketLock queue_;
};

}  // namespace perdure::sync

#endif
