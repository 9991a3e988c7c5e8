#ifndef PERDURE_NESTED_H
#define PERDURE_NESTED_H

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "perdure/retry.h"
#include "perdure/transaction.h"
#include "perdure/waiting.h"

namespace perdure {
namespace detail {

template <class Body>
__attribute__((annotate("perdure.transaction"), noinline)) int invoke_part(void* closure) {
  (*static_cast<Body*>(closure))();
  return 0;
}

/// Runs the body as a part of the running transaction.
/// \returns whether it has returned. Otherwise it has retried, and is undone; an exception undoes it and goes on.
template <class Body>
[[gnu::always_inline]] inline bool run_part(Body& body) {
  void* const closure = const_cast<std::remove_const_t<Body>*>(std::addressof(body));
  return perdure_nested(&invoke_part<Body>, closure) == 0;
}

/// The last one is no part of its own: if it retries, so does what is around all of them.
template <class Last>
void run_first_of(Last& last) {
  last();
}
template <class First, class... Others>
void run_first_of(First& first, Others&... others) {
  if (!run_part(first)) run_first_of(others...);
}

}  // namespace detail

/// Runs `body` as a part of the running transaction, or as one of its own where none runs. An exception that leaves the
/// body undoes what the body has changed, wherever it lives, and nothing else; it goes on to the caller, in the
/// transaction, with what it owns. What else the body has allocated is freed when the transaction commits; handlers
/// that it has registered are forgotten, also those of on_abort.
///
/// Streams, regular expressions and the like (docs/other-code.md) that the body changes must be its own: the program
/// ends otherwise. A conflict has the whole transaction run again, wherever it is.
///
/// \param body  a callable without parameters, which may run parts of its own, to any depth.
/// \returns what `body` returns.
template <class Body>
auto try_nested(Body&& body) -> std::invoke_result_t<Body&> {
  using Result = std::invoke_result_t<Body&>;
  if constexpr (std::is_void_v<Result>) {
    execute([&] {
      if (!detail::run_part(body)) retry();
    });
  } else {
    std::optional<Result> result;
    auto keep_result = [&] { result.emplace(body()); };
    try_nested(keep_result);
    return std::move(*result);
  }
}

/// Runs the first of the bodies that does not retry, as one transaction: what one changes before it retries is undone,
/// and the next one runs. If all retry, the transaction waits until something changes that any of them has read. What
/// they have read must hold when it commits, also of those that were undone: so the second is only taken when the first
/// cannot go on. An exception that leaves one of them, but the last, undoes that one, and goes on. In a transaction
/// this is a part of it: if all retry, what is around them does, which may be one of several in its turn. (Harris et
/// al., “Composable Memory Transactions”, PPoPP'05: orElse.)
/// \returns what the body returns; all have the same type.
template <class First, class Second, class... Others>
auto execute(First&& first, Second&& second, Others&&... others) -> std::invoke_result_t<First&> {
  using Result = std::invoke_result_t<First&>;
  if constexpr (std::is_void_v<Result>) {
    execute([&] { detail::run_first_of(first, second, others...); });
  } else {
    std::optional<Result> result;
    const auto keeping = [&](auto& body) { return [&] { result.emplace(body()); }; };
    execute(keeping(first), keeping(second), keeping(others)...);
    return std::move(*result);
  }
}

}  // namespace perdure

/// `TM_BEGIN { … } TM_OR_ELSE { … } TM_END;` runs the second block if the first one comes to TM_RETRY. There may be
/// several.
#define TM_OR_ELSE , [&]

#endif
