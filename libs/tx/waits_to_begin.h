#ifndef PERDURE_TX_WAITS_TO_BEGIN_H
#define PERDURE_TX_WAITS_TO_BEGIN_H

#include <cstdint>

#include "sched/hourglass.h"
#include "sched/sole_thread.h"
#include "tx/algorithm.h"
#include "tx/solitude.h"

namespace perdure::tx {

/// How a transaction begins when others must be let through first: a part of tx::Transaction.
template <class Transaction, Algorithm A>
class WaitsToBegin {
 private:
  friend Transaction;
  constexpr WaitsToBegin() = default;

  /// Asked behind the beginning, which others see: so no transaction begins after one that has turned the hourglass and
  /// seen that nobody runs, nor beside one that runs as the sole one.
  bool must_wait() {
    if constexpr (A::traits.one_at_a_time) return false;
    return (sched::hourglass.is_turned() && !self().progress_.has_turn()) || belongs_to_others();
  }

  [[gnu::noinline]] std::uint64_t begin_when_clear() {
    std::uint64_t start = 0;
    sched::hourglass.begin_waiting();
    do {
      self().algorithm_.roll_back(self().context_.slot());
      self().leave_running();
      if (belongs_to_others()) sched::sole_thread.end_claim();
      if (!self().progress_.has_turn()) sched::hourglass.wait_until_clear();
      start = self().algorithm_.begin(self().context_.slot());
    } while (must_wait());
    sched::hourglass.end_waiting();
    return start;
  }

  bool belongs_to_others() { return Solitude<A>::belongs_to_others(self().context_.slot()); }
  Transaction& self() { return static_cast<Transaction&>(*this); }
};

}  // namespace perdure::tx

#endif
