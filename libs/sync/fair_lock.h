#ifndef PERDURE_SYNC_FAIR_LOCK_H
#define PERDURE_SYNC_FAIR_LOCK_H

#include <sched.h>

#include <atomic>

#include "sync/spin.h"
#include "sync/ticket_lock.h"

namespace perdure::sync {

/// A lock for critical sections of any length. Whoever comes may take it when it is free; those who find it taken queue
/// up, and when the first of them has waited for some rounds, nobody else may come before it.
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

  /// As of TicketLock.
  void forget_threads() {
    held_.store(false, std::memory_order_relaxed);
    first_is_impatient_.store(false, std::memory_order_relaxed);
    queue_.forget_threads();
  }

 private:
  /// Who may take the lock while the first in the queue waits for it.
  enum class Patience : bool { everybody, first_only };

  static constexpr unsigned looks_in_round = 8;
  static constexpr unsigned patient_rounds = 16;  // a quarter of a millisecond, where nothing else runs

  /// A look takes the lock's line away from whoever passes the lock on to itself: seldom, as long as that is allowed.
  static constexpr unsigned pauses(Patience patience) { return patience == Patience::everybody ? 64 : 8; }

  bool try_take() { return !held_.load(std::memory_order_relaxed) && !held_.exchange(true, std::memory_order_acquire); }

  bool take_within_round(Patience patience) {
    for (unsigned look = 0; look < looks_in_round; ++look) {
      if (try_take()) return true;
      for (unsigned i = 0; i < pauses(patience); ++i) pause();
    }
    return false;
  }

  bool take_alone() {
    first_is_impatient_.store(true, std::memory_order_relaxed);
    const bool taken = take_within_round(Patience::first_only);
    first_is_impatient_.store(false, std::memory_order_relaxed);
    return taken;
  }

  /// The owner may need this processor, so it is given away now and then. The others are not kept out meanwhile, for
  /// another program may get it, and for long; but in the end they are, for the owner, on this processor, may release
  /// the lock and take it again each time this thread is not looking.
  [[gnu::noinline]] void wait() {
    queue_.lock();
    bool taken = false;
    for (unsigned round = 0; !taken && round < patient_rounds; ++round) {
      taken = take_within_round(Patience::everybody) || take_alone();
      if (!taken) sched_yield();
    }
    if (!taken) {
      first_is_impatient_.store(true, std::memory_order_relaxed);
      for (PatientSpinner spinner; !try_take();) spinner.wait();
      first_is_impatient_.store(false, std::memory_order_relaxed);
    }
    queue_.unlock();
  }

  alignas(64) std::atomic<bool> held_{false};
  std::atomic<bool> first_is_impatient_{false};
  TicketLock queue_;
};

}  // namespace perdure::sync

#endif
