#ifndef PERDURE_TESTS_FIBERS_ACCOUNT_H
#define PERDURE_TESTS_FIBERS_ACCOUNT_H

#include <array>
#include <atomic>
#include <string>

#include "perdure/transaction.h"
#include "tx/abort.h"

namespace perdure::testing {

/// Money that is moved around; nothing is lost, whoever looks.
struct Accounts {
  static constexpr long each = 100;
  static constexpr long count = 8;

  Accounts() { balances.fill(each); }

  long sum() const {
    return execute([&] {
      long sum = 0;
      for (const long balance : balances) sum += balance;
      return sum;
    });
  }

  std::array<long, count> balances{};
};

/// Forces one abort in some.
[[perdure::pure]] inline void abort_sometimes(std::atomic<long>& attempts) {
  if (++attempts % 5 == 0) tx::abort(tx::CommitResult::validation);
}

/// By pointers, so that accesses go by way of the entry points.
[[gnu::noinline]] inline void add(long* first, const long* second) {
  asm volatile("" : : "r"(first), "r"(second) : "memory");
  *first += *second;
}

/// Changes accounts, a local of its own in the transaction, and one of the function around it. \returns whether both
/// locals are as they should be.
[[gnu::noinline]] inline bool transfer(Accounts& accounts, int from, int to, std::atomic<long>& attempts) {
  long around = 10;
  bool is_good = true;
  std::string text = "around the transaction";
  TM_BEGIN {
    long own = 1;
    accounts.balances[static_cast<std::size_t>(from)] -= 1;
    add(&own, &around);
    add(&around, &own);
    text += ", and changed in it";
    abort_sometimes(attempts);
    accounts.balances[static_cast<std::size_t>(to)] += 1;
    is_good = own == 11;
  } TM_END;
  return is_good && around == 21 && text == "around the transaction, and changed in it";
}

}  // namespace perdure::testing

#endif
