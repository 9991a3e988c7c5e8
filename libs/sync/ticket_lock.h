#ifndef PERDURE_SYNC_TICKET_LOCK_H
#define PERDURE_SYNC_TICKET_LOCK_H

#include <atomic>
#include <cstdint>

#include "sync/spin.h"

namespace perdure::sync {

/// A lock that is passed on in the order of asking (Mellor-Crummey and Scott, TOCS'91), for critical sections of any
/// length: with a test-and-set lock, whoever releases it and asks again at once can keep all others out for ever.
class TicketLock {
 public:
  void lock() {
    const std::uint32_t ticket = next_ticket_.fetch_add(1, std::memory_order_relaxed);
    Spinner spinner;
    // Acquire: comes after all that the last owner did.
    while (serving_.load(std::memory_order_acquire) != ticket) spinner.wait();
  }

  /// By the owner, who alone changes `serving_`.
  void unlock() { serving_.store(serving_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

 private:
  alignas(64) std::atomic<std::uint32_t> next_ticket_{0};
  alignas(64) std::atomic<std::uint32_t> serving_{0};
};

}  // namespace perdure::sync

#endif
