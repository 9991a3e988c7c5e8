#ifndef PERDURE_MEMO_HAND_OUT_H
#define PERDURE_MEMO_HAND_OUT_H

#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "perdure/handlers.h"

namespace perdure::detail {

/// A copy on its way out of a transaction.
template <class Value>
struct HandedOut {
  Value copy;
  std::optional<Value>* to;

  void operator()() { to->emplace(std::move(copy)); }
};

/// Copies a value of a pool to `to`, once the running transaction has committed, into ordinary memory: what a
/// transaction allocates otherwise lies in a pool, and must not be used when that is closed. What a handler owns does
/// not (perdure/handlers.h).
template <class Value>
void hand_out(const Value& value, std::optional<Value>& to) {
  if constexpr (std::is_trivially_copyable_v<Value>) {
    to.emplace(value);
  } else {
    using Copy = HandedOut<Value>;
    HandlerRoom room(sizeof(Copy), alignof(Copy));
    new (room.address()) Copy{value, &to};
    perdure_end_handler(static_cast<int>(HandlerEvent::commit), room.take(), run_handler<Copy>, destroy_handler<Copy>);
  }
}

}  // namespace perdure::detail

#endif
