#ifndef PERDURE_TX_WAITS_TO_BEGIN_H
#define PERDURE_TX_WAITS_TO_BEGIN_H

#include "sched/hourglass.h"
#include "sched/quiescence.h"
#include "tx/algorithm.h"
#include "tx/runner.h"

namespace perdure::tx {

/// How a transaction begins when others must be let through first: a part of tx::Transaction.
template <class Transaction, Algorithm A>
class WaitsToBegin {
 private:
  friend Transaction;
  constexpr WaitsToBegin() = default;

  /// Called behind the beginning, which others see: so no transaction begins after one that has turned the hourglass
  /// and seen that nobody runs, nor beside one that runs as the sole one.
  [[gnu::noinline]] void begin_when_clear() {
    if (must_wait()) {
      sched::hourglass.begin_waiting();
      do begin_again();
      while (must_wait());
      sched::hourglass.end_waiting();
    }
    self().solitude_.settle(self().algorithm_, self().context_.slot());
  }

  /// \returns whether it has committed, with nothing to be done after it.
  [[gnu::noinline]] bool attempt_alone(Operation operation) {
    if constexpr (!A::traits.one_at_a_time) sched::wait_until_alone(self().context_.slot());
    self().make_queued_turns();
    self().begin();
    self().begin_serial();  // nothing is written yet, so this does not abort
    return self().run_body(operation) && self().commit();
  }

  bool must_wait() const { return is_held_up() || self().solitude_.must_end_claim(); }
  bool is_held_up() const { return sched::hourglass.is_turned() && !self().progress_.has_turn(); }

  void begin_again() {
    self().algorithm_.roll_back(self().context_.slot());
    self().leave_running();
    self().solitude_.end_claim(self().algorithm_, self().context_.slot());
    if (is_held_up()) sched::hourglass.wait_until_clear();
    self().algorithm_.begin(self().context_.slot());
  }

  Transaction& self() { return static_cast<Transaction&>(*this); }
  const Transaction& self() const { return static_cast<const Transaction&>(*this); }
};

}  // namespace perdure::tx

#endif
