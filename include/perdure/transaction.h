#ifndef PERDURE_TRANSACTION_H
#define PERDURE_TRANSACTION_H

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

extern "C" {
/// Runs `body(closure)` as one transaction. The plugin replaces `body` by its transactional clone.
void perdure_run(void (*body)(void*), void* closure);
}

namespace perdure {
namespace detail {

/// The function that the plugin looks for: everything it reaches is cloned and instrumented.
template <class Body>
__attribute__((annotate("perdure.transaction"), noinline)) void invoke(void* closure) {
  (*static_cast<Body*>(closure))();
}

#ifdef __PERDURE__
inline constexpr bool has_plugin = true;
#else
inline constexpr bool has_plugin = false;
#endif

}  // namespace detail

/// Runs `body` as one transaction: atomic, isolated and, with a persistent library, durable once `execute` returns.
///
/// What the body changes is rolled back when the transaction aborts, wherever it lives: pool memory, other memory,
/// and locals of the enclosing function captured by reference. The body may therefore run several times. An exception
/// that leaves the body rolls the transaction back and goes on to the caller. Transactions nest flat: an inner one is
/// part of the outermost.
///
/// It may write to several pools: after a crash all of them hold what it did, or none. They may be opened in any order
/// then, but one of them decides, and must be found (Pool::open says how).
///
/// \param body  a callable without parameters.
/// \returns what `body` returns.
/// \throws whatever `body` throws; `std::bad_alloc` when a pool is full; Error when it wrote to a pool that is open for
/// reading, or to several and the first of them has no place for another decision (it keeps 30, as long as pools
/// concerned have not been opened since a crash).
/// (PACT'19, section III: Begin, Commit, Abort.)
template <class Body>
auto execute(Body&& body) -> std::invoke_result_t<Body&> {
  using Result = std::invoke_result_t<Body&>;
  static_assert(detail::has_plugin || !sizeof(Body),
                "transactions need the Perdure compiler plugin: compile with perdure-c++, or with clang++ "
                "-fplugin=libPerdure.so");
  if constexpr (std::is_void_v<Result>) {
    using Closure = std::remove_reference_t<Body>;
    perdure_run(&detail::invoke<Closure>, const_cast<std::remove_const_t<Closure>*>(std::addressof(body)));
  } else {
    std::optional<Result> result;
    auto store_result = [&] { result.emplace(body()); };
    perdure_run(&detail::invoke<decltype(store_result)>, &store_result);
    return std::move(*result);
  }
}

}  // namespace perdure

/// `TM_BEGIN { … } TM_END;` runs the block as one transaction (see perdure::execute). `return` in the block ends the
/// transaction (and commits it), not the enclosing function.
#define TM_BEGIN ::perdure::execute([&]
#define TM_END )

#endif
