#ifndef PERDURE_TX_PROGRESS_H
#define PERDURE_TX_PROGRESS_H

#include <cstdint>
#include <utility>

#include "sched/backoff.h"
#include "sched/hourglass.h"
#include "stats/counters.h"

namespace perdure::tx {

/// What a thread's transaction does to get on: back-off after an abort, then the hourglass. A serial one turns it
/// first.
class Progress {
 public:
  constexpr Progress() = default;

  void begin() { aborts_in_a_row_ = 0; }

  bool has_turn() const { return has_turn_; }
  /// Whether its next attempt is to be alone.
  bool must_be_alone() const { return must_be_alone_; }

  /// Before each further attempt.
  void wait_for_turn() {
    ++aborts_in_a_row_;
    if (has_turn_) return sched::Hourglass::let_others_finish();
    if (must_be_alone_) return take_turn_to_be_alone();
    if (aborts_in_a_row_ >= sched::Hourglass::threshold) {
      sched::hourglass.turn();
      has_turn_ = true;
      stats::counters.hourglass_turns.add(1);
      return;
    }
    // While the hourglass is turned the attempt waits where it begins: there it is counted among those whom serial
    // transactions let through first.
    backoff_.wait(aborts_in_a_row_);
  }

  void take_turn_to_be_alone() {
    must_be_alone_ = true;
    sched::hourglass.let_waiting_pass();
    sched::hourglass.turn();
    has_turn_ = true;
  }

  /// For its algorithm, unless the program has asked for it. (Then it may not wait.)
  void ask_to_be_alone() { is_alone_for_algorithm_ = !std::exchange(must_be_alone_, true); }
  bool is_alone_for_algorithm() const { return is_alone_for_algorithm_; }

  /// In the middle of a transaction, which must not wait: two that wait for each other to end would do so for ever.
  bool try_turn_to_be_alone() {
    must_be_alone_ = true;
    has_turn_ = has_turn_ || sched::hourglass.try_turn();
    return has_turn_;
  }

  /// When the transaction first wanted to wait for a while, in whichever attempt.
  std::uint64_t waiting_since(std::uint64_t now) {
    if (waiting_since_ == 0) waiting_since_ = now;
    return waiting_since_;
  }

  /// It waits: it must not keep others waiting, and begins anew then, but for the time.
  void pause() {
    release_hourglass();
    begin();
  }

  /// The transaction is over, and not in its first attempt; or has wanted to wait.
  void release_turn() {
    waiting_since_ = 0;
    must_be_alone_ = is_alone_for_algorithm_ = false;
    release_hourglass();
  }

 private:
  void release_hourglass() {
    if (!has_turn_) [[likely]]
      return;
    has_turn_ = must_be_alone_ = is_alone_for_algorithm_ = false;
    sched::hourglass.release();
  }

  bool has_turn_ = false;
  bool must_be_alone_ = false;
  bool is_alone_for_algorithm_ = false;
  unsigned aborts_in_a_row_ = 0;
  std::uint64_t waiting_since_ = 0;  // 0: it has not
  sched::Backoff backoff_;
};

}  // namespace perdure::tx

#endif
