#ifndef PERDURE_SYNC_TICKET_LOCK_H
#define PERDURE_SYNC_TICKET_LOCK_H

#include <atomic>
#include <cstdint>

#include "sync/futex.h"
#include "sync/spin.h"

namespace perdure::sync {

/// A lock that is passed on in the order of asking (Mellor-Crummey and Scott, TOCS'91). Whoever has waited for some
/// microseconds goes to sleep, so that the next in the order finds a processor.
class TicketLock {
 public:
  void lock() {
    const std::uint32_t ticket = next_ticket_.fetch_add(1, std::memory_order_relaxed);
    // Acquire: comes after all that the last owner did.
    if (serving_.load(std::memory_order_acquire) != ticket) [[unlikely]]
      wait_for(ticket);
  }

  /// By the owner, who alone changes `serving_`.
  void unlock() {
    const std::uint32_t next = serving_.load(std::memory_order_relaxed) + 1;
    serving_.store(next, std::memory_order_release);
    if (next_ticket_.load(std::memory_order_relaxed) != next) [[unlikely]]
      wake_owner_of(next);
  }

  /// The process has just been forked: neither the owner nor whoever waits is in the child.
  void forget_threads() {
    next_ticket_.store(0, std::memory_order_relaxed);
    serving_.store(0, std::memory_order_relaxed);
    sleepers_.store(0, std::memory_order_relaxed);
  }

 private:
#ifdef PERDURE_SIMULATED
  static constexpr bool sleeps = false;  // the scheduler of the simulator lets one thread run at a time
#else
  static constexpr bool sleeps = true;
#endif

  static constexpr std::uint32_t sleeper(std::uint32_t ticket) { return std::uint32_t{1} << ticket % 32; }

  [[gnu::noinline]] void wait_for(std::uint32_t ticket) {
    Spinner spinner;
    for (unsigned spins = 0; !sleeps || spins < Spinner::spins_before_yield; ++spins) {
      if (serving_.load(std::memory_order_acquire) == ticket) return;
      spinner.wait();
    }
    // Either the owner sees that somebody sleeps, or this thread sees that the lock was passed on: each announces first
    // and looks then. (An owner whose look at `next_ticket_` came too early, before this thread had its ticket, has
    // passed the lock on long before the spinning ends; should a processor keep that store to itself for so long, the
    // sleep is not for ever.)
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    for (std::uint32_t serving = 0; (serving = serving_.load(std::memory_order_seq_cst)) != ticket;)
      sleep_while(serving_, serving, sleeper(ticket));
    sleepers_.fetch_sub(1, std::memory_order_relaxed);
  }

  [[gnu::noinline]] void wake_owner_of(std::uint32_t ticket) {
    std::atomic_thread_fence(std::memory_order_seq_cst);  // the lock is passed on before this look
    if (sleepers_.load(std::memory_order_relaxed) != 0) wake(serving_, sleeper(ticket));
  }

  alignas(64) std::atomic<std::uint32_t> next_ticket_{0};
  alignas(64) std::atomic<std::uint32_t> serving_{0};
  std::atomic<std::uint32_t> sleepers_{0};
};

}  // namespace perdure::sync

#endif
