#ifndef PERDURE_LOG_STATES_OF_THREAD_H
#define PERDURE_LOG_STATES_OF_THREAD_H

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "log/growing_array.h"
#include "log/turn_state.h"

namespace perdure::log {

/// The states that one thread fills in, in a circle. They were handed out in this order: the one that comes next is the
/// oldest, unless somebody held it up the last time; then it waits for a whole round. So one that cannot be reused for
/// long, because of a thread that is stopped, costs one look a round.
class StatesOfThread {
 public:
  constexpr StatesOfThread() = default;

  std::size_t size() const { return states_.size(); }
  /// There is one.
  TurnState& next() const { return *states_[next_]; }
  /// The next one has become the last.
  void move_on() { next_ = next_ + 1 == states_.size() ? 0 : next_ + 1; }
  /// As the last.
  void add(TurnState* state) {
    states_.push_back(state);
    std::rotate(states_.begin() + next_, states_.end() - 1, states_.end());
    move_on();
  }

  /// They are no thread's. Release: who takes one over (Turns::add_state) finds it as it was left.
  void give_back() {
    for (TurnState* const state : states_) state->is_owned.store(false, std::memory_order_release);
    states_.release();
    next_ = 0;
  }

 private:
  GrowingArray<TurnState*> states_;
  std::size_t next_ = 0;
};

}  // namespace perdure::log

#endif
