#ifndef PERDURE_TX_SOLITUDE_H
#define PERDURE_TX_SOLITUDE_H

#include <algorithm>
#include <cstdint>

#include "sched/sole_thread.h"
#include "stats/counters.h"
#include "tx/algorithm.h"

namespace perdure::tx {

/// After how many transactions of a thread, none of others having committed between them, it asks whether it is alone.
#ifdef PERDURE_SOLE_THREAD_PATIENCE  // what simulates and checks meets the change more often
inline constexpr std::uint32_t patience_at_first = PERDURE_SOLE_THREAD_PATIENCE;
#else
inline constexpr std::uint32_t patience_at_first = 64;
#endif

/// When a thread runs its transactions as the sole one (sched/sole_thread.h), and when no longer. Others that come end
/// that; each time it happens the thread waits longer before it asks again, so threads that take turns do not spend
/// their time with it.
template <Algorithm A>
class Solitude {
 public:
  constexpr Solitude() = default;

  /// The thread has published that it runs. \returns whether it has to end the claim of another first, or its own,
  /// which others contest; it must not run meanwhile.
  static bool belongs_to_others(const sched::ThreadSlot& slot) {
    if constexpr (!RunsAsSoleThread<A>) return false;
    const auto claim = sched::sole_thread.claim();
    return claim != sched::SoleThread::nobody && claim != sched::SoleThread::claim_of(slot);
  }

  /// The thread has published that it runs, and goes on. \param start  the time at which its transaction begins.
  [[gnu::always_inline]] void begin(A& algorithm, const sched::ThreadSlot& slot, std::uint64_t start) {
    if constexpr (RunsAsSoleThread<A>) {
      const bool has_claim = sched::sole_thread.claim() != sched::SoleThread::nobody;
      algorithm.run_as_sole_thread(has_claim);
      if (has_claim != is_sole_) [[unlikely]]
        change(has_claim);
      if (has_claim) return;
      // Others have committed since this thread's last transaction.
      if (start != last_time_) in_a_row_ = 0;
      if (++in_a_row_ >= patience_) [[unlikely]]
        ask(algorithm, slot);
    }
  }

  void commit(std::uint64_t time) {
    if constexpr (RunsAsSoleThread<A>) last_time_ = time;
  }

 private:
  static constexpr std::uint32_t most_patience = 1 << 16;

  [[gnu::noinline, gnu::cold]] void change(bool is_sole) {
    is_sole_ = is_sole;
    if (!is_sole) be_more_patient();
  }

  [[gnu::noinline, gnu::cold]] void ask(A& algorithm, const sched::ThreadSlot& slot) {
    in_a_row_ = 0;
    is_sole_ = sched::sole_thread.try_claim(slot);
    if (!is_sole_) return be_more_patient();
    algorithm.run_as_sole_thread(true);
    stats::counters.solitudes.add(1);
  }

  void be_more_patient() { patience_ = std::min(2 * patience_, most_patience); }

  bool is_sole_ = false;
  std::uint32_t patience_ = patience_at_first;
  std::uint32_t in_a_row_ = 0;
  std::uint64_t last_time_ = 0;
};

}  // namespace perdure::tx

#endif
