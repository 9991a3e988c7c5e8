// What libitm does not tell: attempts that ended in a conflict, and irrevocable transactions (as `hourglass_turns`:
// like those that hold the hourglass, they run alone). And what it does not do well: exceptions.
#include <cxxabi.h>

#include <cstddef>
#include <cstdint>

#include "stats/counters.h"

namespace perdure::peers {

// As in transaction.h, which only GCC compiles.
void count_attempt() noexcept;
void count_if_irrevocable() noexcept;
class Counted {
 public:
  ~Counted();
};

}  // namespace perdure::peers

// Of libitm's interface (Intel's ABI for transactional memory); GCC installs no header for it.
extern "C" {
enum HowExecuting : std::uint32_t { outside_transaction, in_retryable_transaction, in_irrevocable_transaction };
enum TransactionState : std::uint32_t { mode_serial_irrevocable };
// NOLINTBEGIN(bugprone-reserved-identifier): theirs
HowExecuting _ITM_inTransaction();
void _ITM_changeTransactionMode(TransactionState state);

/// In the place of libitm's own: what throws in a transaction calls it first. Where an attempt that has thrown is
/// rolled back, as after a commit that fails, libitm (GCC 12) calls the destructor of an exception that is gone. So a
/// transaction becomes irrevocable before it throws: then nothing can fail.
void* _ITM_cxa_allocate_exception(std::size_t bytes) {
  _ITM_changeTransactionMode(mode_serial_irrevocable);
  return abi::__cxa_allocate_exception(bytes);
}
// NOLINTEND(bugprone-reserved-identifier)
}

namespace perdure::peers {
namespace {

struct Enrolment {
  Enrolment() { stats::enroll_this_thread(); }
  ~Enrolment() { stats::withdraw_this_thread(); }
};

thread_local const Enrolment enrolment;
thread_local constinit bool is_first_attempt = true;

}  // namespace

void count_attempt() noexcept {
  if (is_first_attempt) {
    static_cast<void>(&enrolment);
    is_first_attempt = false;
  } else {
    stats::counters.count_abort(stats::AbortReason::validation);
  }
}

void count_if_irrevocable() noexcept {
  if (_ITM_inTransaction() == in_irrevocable_transaction) stats::counters.hourglass_turns.add(1);
}

Counted::~Counted() {
  stats::counters.commits.add(1);
  is_first_attempt = true;
}

}  // namespace perdure::peers
