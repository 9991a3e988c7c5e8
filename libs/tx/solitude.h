#ifndef PERDURE_TX_SOLITUDE_H
#define PERDURE_TX_SOLITUDE_H

#include <algorithm>
#include <cstdint>
#include <utility>

#include "sched/sole_thread.h"
#include "stats/counters.h"
#include "tx/algorithm.h"

namespace perdure::tx {

/// When a thread runs its transactions as the sole one (sched/sole_thread.h), and when no longer.
///
/// It asks for that after some transactions during which nobody else has begun one. Each time that another one runs in
/// spite of that, or comes soon, it waits twice as long before it asks again: so threads that take turns do not spend
/// their time with it, nor those that lose their processor. What all this costs transactions of several threads is a
/// look at the claim and a count.
template <Algorithm A>
class Solitude {
 public:
  constexpr Solitude() = default;

  /// The thread has this slot from now on.
  void join(const sched::ThreadSlot& slot) {
    patience_ = sched::patience.first;
    wait_for_as_many(slot);
  }

  bool is_sole() const { return own_claim_ != sched::SoleThread::nobody; }

  /// The thread has published that it runs. \returns whether all is not as it was when it began last: somebody's claim
  /// has come, or this thread's is gone, or contested.
  bool has_changed() const {
    if constexpr (RunsAsSoleThread<A>) return sched::sole_thread.claim() != own_claim_;
    return false;
  }

  /// The same. \returns whether there is a claim that has to be ended first: of another thread, or its own, which
  /// others contest. It must not run meanwhile.
  bool must_end_claim() const {
    if constexpr (!RunsAsSoleThread<A>) return false;
    const auto claim = sched::sole_thread.claim();
    return claim != sched::SoleThread::nobody && claim != own_claim_;
  }

  /// The thread does not run. It waits for its turn, if threads take turns.
  void end_claim(A& algorithm, const sched::ThreadSlot& slot) {
    if constexpr (RunsAsSoleThread<A>) {
      if (!must_end_claim()) return;
      if (is_sole()) lose(algorithm, slot);
      // Others may get their turns first again and again, but not for ever.
      has_turn_ = sched::sole_thread.await_turn(slot, ++turns_awaited_ < most_turns_awaited);
      if (has_turn_) become_sole(algorithm, slot);
    }
  }

  // -- While a transaction runs.

  /// Whether what it has read under its claim, if it has one, still is as it was. Behind what others are to see.
  bool is_valid() const { return !is_sole() || sched::sole_thread.claim() == own_claim_; }

  /// \param has_only_read  it took place when it made its last load, under the claim.
  template <class Captured>
  [[gnu::always_inline]] CommitResult commit(A& algorithm, sched::ThreadSlot& slot, const Captured& captured,
                                             bool has_only_read) {
    if constexpr (RunsAsSoleThread<A>)
      if (is_sole() && !has_only_read && !sched::sole_thread.begin_commit(own_claim_)) return CommitResult::validation;
    const CommitResult result = algorithm.commit(slot, captured);
    end_commit();
    return result;
  }
  /// Others may take the claim away.
  void end_commit() {
    if constexpr (RunsAsSoleThread<A>)
      if (is_sole()) sched::sole_thread.end_commit();
  }

  /// The attempt is aborted.
  void roll_back(sched::ThreadSlot& slot) {
    end_commit();
    if constexpr (RunsAsSoleThread<A>)
      slot.aborts.store(slot.aborts.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  /// It goes on with nobody else running, and may not be aborted by who comes.
  void become_serial(A& algorithm, const sched::ThreadSlot& slot) {
    if constexpr (RunsAsSoleThread<A>) {
      if (!is_sole()) return;
      if (has_turn_ && !has_changed()) sched::sole_thread.forgo_turn();
      lose(algorithm, slot);  // whoever begins next ends the claim
    }
  }

  /// The thread has published that it runs, and goes on: there is no claim but, perhaps, its own.
  void settle(A& algorithm, const sched::ThreadSlot& slot) {
    turns_awaited_ = 0;
    if constexpr (RunsAsSoleThread<A>)
      if (is_sole() && has_changed()) lose(algorithm, slot);
  }

  /// It runs. \returns its claim, or nobody's.
  sched::SoleThread::Claim count_beginning(A& algorithm, sched::ThreadSlot& slot) {
    if constexpr (RunsAsSoleThread<A>) {
      const std::uint32_t beginnings = slot.beginnings.load(std::memory_order_relaxed) + 1;
      slot.beginnings.store(beginnings, std::memory_order_relaxed);
      if (beginnings == asks_at_) [[unlikely]]
        ask(algorithm, slot);
    }
    return own_claim_;
  }

  /// The thread ends, and gives its slot back: it has no claim, which another thread could take for its own.
  void leave(A& algorithm, const sched::ThreadSlot& slot) {
    if constexpr (RunsAsSoleThread<A>) {
      if (!is_sole()) return;
      sched::sole_thread.end_claim();
      lose(algorithm, slot);
    }
  }

 private:
  static constexpr std::uint32_t long_solitude = 8;  // times the patience before it
  static constexpr std::uint8_t most_turns_awaited = 64;

  [[gnu::noinline, gnu::cold]] void ask(A& algorithm, sched::ThreadSlot& slot) {
    if (is_sole()) return;  // the count has gone round
    const std::uint32_t others = sched::SoleThread::beginnings_of_others(slot);
    const bool others_are_at_work = others != others_at_last_;
    others_at_last_ = others;
    if (sched::patience.first == 0) return wait_for_as_many(slot);
    has_turn_ = others_are_at_work && sched::sole_thread.try_turn(slot);
    if (others_are_at_work && !has_turn_) return wait_for_as_many(slot);
    if (!has_turn_ && !sched::sole_thread.try_claim(slot)) return be_more_patient(slot);
    // Behind the claim: others may have committed between its start and that.
    algorithm.begin(slot);
    become_sole(algorithm, slot);
  }

  void become_sole(A& algorithm, const sched::ThreadSlot& slot) {
    own_claim_ = sched::SoleThread::claim_of(slot);
    stats::counters.solitudes.add(1);
    algorithm.run_under(own_claim_);
  }

  [[gnu::noinline, gnu::cold]] void lose(A& algorithm, const sched::ThreadSlot& slot) {
    own_claim_ = sched::SoleThread::nobody;
    algorithm.run_under(own_claim_);
    if (std::exchange(has_turn_, false)) return wait_for_as_many(slot);
    const std::uint32_t lasted = slot.beginnings.load(std::memory_order_relaxed) - asks_at_;
    if (lasted / long_solitude < patience_) return be_more_patient(slot);
    patience_ = sched::patience.first;
    wait_for_as_many(slot);
  }

  void be_more_patient(const sched::ThreadSlot& slot) {
    patience_ = static_cast<std::uint16_t>(std::min<std::uint32_t>(2 * patience_, sched::patience.most));
    wait_for_as_many(slot);
  }

  void wait_for_as_many(const sched::ThreadSlot& slot) {
    asks_at_ = slot.beginnings.load(std::memory_order_relaxed) + std::max<std::uint32_t>(patience_, 1);
  }

  sched::SoleThread::Claim own_claim_ = sched::SoleThread::nobody;
  std::uint32_t asks_at_ = 0;         // or has asked, if it is the sole one
  std::uint32_t others_at_last_ = 0;  // when it last asked
  std::uint16_t patience_ = 0;
  std::uint8_t turns_awaited_ = 0;  // before this beginning
  bool has_turn_ = false;           // and will lose its claim soon
};

}  // namespace perdure::tx

#endif
