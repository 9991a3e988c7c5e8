#ifndef PERDURE_SCHED_QUIESCENCE_H
#define PERDURE_SCHED_QUIESCENCE_H

#include <atomic>
#include <chrono>

#include "persist/step.h"
#include "sched/thread_registry.h"
#include "sync/spin.h"

namespace perdure::sched {

/// After which commits a transaction waits for those that were running: then memory that it made private may be used
/// directly, and unmapped (PACT'19, section II.C). That nothing is replayed over it either is for the logs to see to
/// (log/retirement.h).
enum class Quiescence {
  never,
  /// Waits only for transactions that have used memory outside of pools. Pools are never unmapped under a transaction,
  /// and pool memory is accessed in transactions only.
  other_memory,
  always,
};

/// Waits until every transaction that started before `commit_timestamp` has ended: after that, memory which the
/// committed transaction made private may be used outside transactions, and unmapped.
/// \param since  the times at which the transactions to wait for started.
/// \returns the nanoseconds that it waited; 0 when there was nobody to wait for.
inline std::uint64_t quiesce(std::uint64_t commit_timestamp, std::atomic<std::uint64_t> ThreadSlot::* since,
                             const ThreadSlot* self) {
  const auto is_over = [&](const ThreadSlot& slot) {
    // Sequentially consistent: a transaction that is not seen here will see the commit when it validates.
    return (slot.*since).load(std::memory_order_seq_cst) >= commit_timestamp;
  };
  std::chrono::nanoseconds waited{0};
  thread_registry.for_each([&](const ThreadSlot& slot) {
    if (&slot == self || is_over(slot)) return;
    const auto begin = std::chrono::steady_clock::now();
    sync::Spinner spinner;
    while (!is_over(slot)) spinner.wait();
    waited += std::chrono::steady_clock::now() - begin;
  });
  return static_cast<std::uint64_t>(waited.count());
}

/// Waits until no other thread runs a transaction. None begins meanwhile: the caller has turned the hourglass. What
/// they did is over, their commits with all that these flush and retire included.
inline void wait_until_alone(const ThreadSlot& self) {
  persistence::perform<persistence::Step::alone>([&] {
    thread_registry.for_each([&](const ThreadSlot& slot) {
      // Sequentially consistent, behind the ticket: who is not seen to run here sees the ticket. Acquire: who ended
      // comes before this.
      sync::PatientSpinner spinner;
      while (&slot != &self && slot.running_since.load(std::memory_order_seq_cst) != never) spinner.wait();
    });
  });
}

/// Whether no thread runs a transaction; then none does until the caller, who has no slot, lets the hourglass go.
inline bool is_nobody_running() {
  bool result = true;
  thread_registry.for_each([&](const ThreadSlot& slot) {
    // As above.
    result = result && slot.running_since.load(std::memory_order_seq_cst) == never;
  });
  return result;
}

}  // namespace perdure::sched

#endif
