#ifndef PERDURE_TRANSACTION_H
#define PERDURE_TRANSACTION_H

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

extern "C" {
/// Runs `body(closure)` as one transaction. The plugin replaces `body` by its transactional clone. Programs call
/// perdure::execute instead.
void perdure_run(void (*body)(void*), void* closure);
/// The same as a serial transaction.
void perdure_run_serial(void (*body)(void*), void* closure);
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

/// The plugin must see the call of perdure_run with the body's name: so this is no parameter.
template <bool is_serial, class Body>
[[gnu::always_inline]] inline auto run(Body&& body) -> std::invoke_result_t<Body&> {
  using Result = std::invoke_result_t<Body&>;
  static_assert(has_plugin || !sizeof(Body),
                "transactions need the Perdure compiler plugin: compile with perdure-c++, or with clang++ "
                "-fplugin=libPerdure.so");
  if constexpr (!std::is_void_v<Result>) {
    std::optional<Result> result;
    run<is_serial>([&] { result.emplace(body()); });
    return std::move(*result);
  } else {
    using Closure = std::remove_reference_t<Body>;
    void* const closure = const_cast<std::remove_const_t<Closure>*>(std::addressof(body));
    if constexpr (is_serial)
      perdure_run_serial(&invoke<Closure>, closure);
    else
      perdure_run(&invoke<Closure>, closure);
  }
}

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
[[gnu::always_inline]] inline auto execute(Body&& body) -> std::invoke_result_t<Body&> {
  return detail::run<false>(std::forward<Body>(body));
}

/// Runs `body` as a serial transaction: alone among all transactions of the process, and once, since no conflict rolls
/// it back. So it may call code that the plugin has never seen: print, talk to a socket, run an interpreter.
///
/// What the body and the code that the plugin sees change is atomic and durable as in `execute`, and an exception rolls
/// it back. What other code does is done: the plugin neither undoes it nor makes it durable, except in blocks that this
/// transaction has allocated. Other code should not write to existing pool memory; a callback that it calls may,
/// in TM_BEGIN … TM_END, which is then part of this transaction.
///
/// In a transaction, that one becomes serial.
///
/// \throws what `execute` throws; a full pool, or one that is open for reading, shows at the write.
template <class Body>
auto execute_serially(Body&& body) -> std::invoke_result_t<Body&> {
  return detail::run<true>(std::forward<Body>(body));
}

/// The running transaction is serial from here on (see execute_serially), and the calls behind this one, in the same
/// function, may be of code that the plugin has never seen. What comes before may run twice: if another transaction is
/// in the way, this one begins again, and is serial from its beginning then. Outside of transactions it does nothing.
void become_serial() noexcept __asm__("perdure_become_serial");

}  // namespace perdure

/// `TM_BEGIN { … } TM_END;` runs the block as one transaction (see perdure::execute). `return` in the block ends the
/// transaction (and commits it), not the enclosing function.
#define TM_BEGIN ::perdure::execute([&]
#define TM_END )

/// `TM_SERIAL { … } TM_END;` runs the block as a serial transaction (see perdure::execute_serially).
#define TM_SERIAL ::perdure::execute_serially([&]

#endif
