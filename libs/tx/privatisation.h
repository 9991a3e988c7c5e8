#ifndef PERDURE_TX_PRIVATISATION_H
#define PERDURE_TX_PRIVATISATION_H

#include <atomic>
#include <cstdint>

#include "log/retirement.h"
#include "sched/quiescence.h"
#include "sched/thread_registry.h"
#include "stats/counters.h"
#include "tx/algorithm.h"

namespace perdure::tx {

/// Pool memory may be used directly once it is private, and redo records outlive the locks.
template <Algorithm A>
inline constexpr bool waits_for_retirement =
    A::Mode::durable && A::Mode::deferred_flushing && !A::traits.writes_in_place &&
    A::Mode::quiescence == sched::Quiescence::always;

/// What lets memory that a commit made private be used directly (PACT'19, II.C): a commit waits for transactions that
/// may still look at it. In some modes only for those that use memory outside of pools.
template <Algorithm A>
class Privatisation {
  using Mode = typename A::Mode;

 public:
  constexpr Privatisation() = default;

  /// The first use of memory outside of pools and of the thread's own stack, which lasts as long as the thread is in
  /// the transaction and is not made private by others (docs/algorithms.md). Either a thread that has made such memory
  /// private sees that it must wait for this transaction, or this transaction sees that commit: each announces first
  /// and looks then. \returns whether it is the first, so that what was read has to be validated.
  bool announce_other_memory(sched::ThreadSlot& slot) {
    if constexpr (!quiesces_for_other_memory) return false;
    if (uses_other_memory_) [[likely]]
      return false;
    uses_other_memory_ = true;
    slot.uses_other_memory_since.store(slot.running_since.load(std::memory_order_relaxed), std::memory_order_seq_cst);
    return true;
  }

  /// The transaction is over.
  void leave_running(sched::ThreadSlot& slot) {
    // Release: whoever waits for this transaction comes after all that it did.
    slot.running_since.store(sched::never, std::memory_order_release);
    if constexpr (quiesces_for_other_memory) {
      if (!uses_other_memory_) return;
      slot.uses_other_memory_since.store(sched::never, std::memory_order_release);
      uses_other_memory_ = false;
    }
  }

  /// It has committed, and no longer runs.
  static void quiesce(const A& algorithm, const sched::ThreadSlot& slot) {
    if constexpr (quiesces_always) quiesce(algorithm, slot, &sched::ThreadSlot::running_since);
    if constexpr (quiesces_for_other_memory) quiesce(algorithm, slot, &sched::ThreadSlot::uses_other_memory_since);
    if constexpr (waits_for_retirement<A>) log::wait_until_retired(algorithm.commit_timestamp());
  }

 private:
  static constexpr bool quiesces_always = A::traits.needs_quiescence && Mode::quiescence == sched::Quiescence::always;
  static constexpr bool quiesces_for_other_memory =
      A::traits.needs_quiescence && Mode::quiescence == sched::Quiescence::other_memory;

  static void quiesce(const A& algorithm, const sched::ThreadSlot& slot,
                      std::atomic<std::uint64_t> sched::ThreadSlot::* since) {
    const std::uint64_t waited = sched::quiesce(algorithm.commit_timestamp(), since, &slot);
    if (waited == 0) [[likely]]
      return;
    stats::counters.quiescence_waits.add(1);
    stats::counters.quiescence_nanoseconds.add(waited);
  }

  bool uses_other_memory_ = false;
};

}  // namespace perdure::tx

#endif
