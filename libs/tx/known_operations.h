#ifndef PERDURE_TX_KNOWN_OPERATIONS_H
#define PERDURE_TX_KNOWN_OPERATIONS_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "log/turn_state.h"

namespace perdure::tx {

/// What a thread remembers of operations that it has run: to which pool they write, and whether it is in vain to have
/// others run them. A guess; each has one of a few places.
class KnownOperations {
 public:
  using Body = void (*)(void*);

  constexpr KnownOperations() = default;

  /// \returns the pool that it wrote to the last time; no_pool if it is to be run by its owner first.
  std::size_t slot_of(Body body) {
    Known& known = place_of(body);
    if (known.body != body || known.passes != 0) return log::TurnState::no_pool;
    return known.slot;
  }

  /// Asked each time that it is run by its owner: who was left to do so is in ever larger distances not.
  bool may_be_queued(Body body) {
    Known& known = place_of(body);
    if (known.body != body || known.passes == 0) return true;
    --known.passes;
    return false;
  }

  /// \param is_made  in its place; or it was left out.
  void note(Body body, std::size_t slot, bool is_made) {
    Known& known = place_of(body);
    if (known.body != body) known = {};
    known.body = body;
    known.slot = slot;
    known.returns = is_made ? 0 : std::min(known.returns + 1, most_returns);
    known.passes = is_made ? 0 : (1U << known.returns) - 1;
  }

 private:
  static constexpr unsigned most_returns = 8;

  struct Known {
    Body body = nullptr;
    std::size_t slot = log::TurnState::no_pool;
    unsigned returns = 0;  // in a row
    unsigned passes = 0;   // so often it is not announced
  };

  Known& place_of(Body body) { return known_[reinterpret_cast<std::uintptr_t>(body) / 16 % known_.size()]; }

  std::array<Known, 8> known_{};
};

}  // namespace perdure::tx

#endif
