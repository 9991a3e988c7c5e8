#ifndef PERDURE_BENCHMARKS_PEERS_LIBITM_TRANSACTION_H
#define PERDURE_BENCHMARKS_PEERS_LIBITM_TRANSACTION_H

#include <type_traits>

namespace perdure {
namespace peers {

// What is counted. Pure, as GCC says: no part of the transaction, so that attempts that come to nothing count, too.

/// When a body begins.
__attribute__((transaction_pure)) void count_attempt() noexcept;
/// When it ends: whether the transaction has become irrevocable, which runs alone.
__attribute__((transaction_pure)) void count_if_irrevocable() noexcept;

/// Counts a transaction when it is over.
class Counted {
 public:
  Counted() = default;
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted();
};

}  // namespace peers

// `__transaction_atomic` compiles only if all that the body calls is instrumented, so that nothing it does makes it
// irrevocable. Where that is not so (functions in the standard library's shared object), the build says that
// transactions are relaxed.
#ifdef PERDURE_LIBITM_RELAXED
#define PERDURE_LIBITM_TRANSACTION __transaction_relaxed
#else
#define PERDURE_LIBITM_TRANSACTION __transaction_atomic
#endif

/// In the place of include/perdure/transaction.h: GCC's transactions (-fgnu-tm). An exception that leaves the body ends
/// the transaction without rolling it back, so a body throws before its first write, as under the yardsticks; it runs
/// alone from there (attempts.cc).
template <class Body>
auto execute(Body&& body) -> std::invoke_result_t<Body&> {
  using Result = std::invoke_result_t<Body&>;
  const peers::Counted counted;
  if constexpr (std::is_void_v<Result>) {
    PERDURE_LIBITM_TRANSACTION {
      peers::count_attempt();
      body();
      peers::count_if_irrevocable();
    }
  } else {
    Result result{};
    PERDURE_LIBITM_TRANSACTION {
      peers::count_attempt();
      result = body();
      peers::count_if_irrevocable();
    }
    return result;
  }
}

}  // namespace perdure

#define TM_BEGIN ::perdure::execute([&]
#define TM_END )

#endif
