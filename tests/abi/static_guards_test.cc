// Static local variables that a transaction comes upon first.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "perdure/perdure.h"
#include "tx/abort.h"

namespace perdure {
namespace {

using namespace std::chrono_literals;

std::atomic<bool> is_initialising{false};
std::atomic<int> initialisations{0};

int slowly(int value) {
  initialisations.fetch_add(1);
  is_initialising.store(true);
  std::this_thread::sleep_for(50ms);
  return value;
}

int& contended() {
  static int variable = slowly(5);
  return variable;
}

TEST(StaticGuards, ATransactionWaitsForAnotherThread) {
  std::jthread other([] { contended(); });
  while (!is_initialising.load()) std::this_thread::yield();
  int found = 0;
  int runs = 0;
  TM_BEGIN {
    ++runs;
    found = contended();
  } TM_END;
  EXPECT_EQ(found, 5);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(initialisations.load(), 1);
}

long shared = 0;

int transactionally(int value) {
  std::this_thread::sleep_for(20ms);
  TM_BEGIN { shared += value; } TM_END;
  return value;
}

int& with_a_transaction() {
  static int variable = transactionally(7);
  return variable;
}

// The transaction must hold nothing while it waits, or the initialiser's transaction could not run.
TEST(StaticGuards, TheOtherThreadsInitialiserMayRunTransactions) {
  std::atomic<bool> has_begun{false};
  std::jthread other([&] {
    has_begun.store(true);
    with_a_transaction();
  });
  while (!has_begun.load()) std::this_thread::yield();
  std::this_thread::sleep_for(5ms);
  int found = 0;
  TM_BEGIN {
    shared += 1;
    found = with_a_transaction();
  } TM_END;
  EXPECT_EQ(found, 7);
  EXPECT_EQ(shared, 8);
}

int& nested() {
  static int variable = transactionally(9);
  return variable;
}

TEST(StaticGuardsDeathTest, ATransactionsInitialiserMayNotRunTransactions) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH((TM_BEGIN { nested(); } TM_END), "come upon the initialisation of a static local variable");
}

/// Rolls the transaction back and runs it again, once. Pure: it is a matter between the test and the runtime.
PERDURE_PURE void abort_once() {
  static bool is_done = false;
  if (is_done) return;
  is_done = true;
  tx::abort(tx::CommitResult::validation);
}

int count_up() { return initialisations.fetch_add(1); }

TEST(StaticGuards, AnAbortDoesNotUndoTheInitialisation) {
  initialisations.store(0);
  int result = -1;
  TM_BEGIN {
    static std::vector<int> variable(100, count_up());
    abort_once();
    result = variable[99];
  } TM_END;
  EXPECT_EQ(result, 0);
  EXPECT_EQ(initialisations.load(), 1);
}

}  // namespace
}  // namespace perdure
