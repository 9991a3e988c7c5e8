// Where threads help each other (tx/helping.h), one is stopped at each of its steps in turn, in the program and in the
// library, until the others have ended: each of their updates takes a bounded number of steps. Steps are those of the
// crash simulator's scheduler: accesses to pools, atomic operations, flushes, fences, locks.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <thread>
#include <vector>

#include "perdure/pool.h"
#include "perdure/statistics.h"
#include "perdure/transaction.h"
#include "persist/lines.h"
#include "pool/format.h"
#include "simulate/scheduler.h"
#include "tests/pool/pool_test.h"
#include "tests/simulator/stopped_workers.h"

namespace perdure::simulate {
namespace {

using Kind = Strategy::Kind;

constexpr std::size_t workers = 3;
constexpr std::size_t updates = 3;  // of each

struct Ledger {
  struct alignas(64) Cell {
    long value = 0;
  };
  std::array<Cell, 4> accounts;
  long updates = 0;
};

/// \returns which update it was.
long move(Ledger& ledger, std::size_t from, std::size_t to) {
  long number = 0;
  TM_BEGIN {
    --ledger.accounts[from].value;
    ++ledger.accounts[to].value;
    number = ++ledger.updates;
  } TM_END;
  return number;
}

/// What a worker has done.
struct Record {
  std::array<long, updates> numbers{};
  std::array<std::uint64_t, updates> steps{};
};

struct Outcome {
  std::array<Record, workers> records;
  std::uint64_t steps = 0;       // of all
  bool was_any_stopped = false;  // while another one worked

  std::uint64_t most_steps() const {
    std::uint64_t most = 0;
    for (const Record& record : records) most = std::max(most, *std::ranges::max_element(record.steps));
    return most;
  }
};

class StoppedAtEachStep : public testing::PoolTest {
 protected:
  Outcome run(const Strategy& strategy, const Scheduler::Stops& stops) {
    TM_BEGIN { ledger_ = {}; } TM_END;
    Outcome outcome;
    outcome.steps = StoppedWorkers(workers).run(
        strategy, stops, [&](std::size_t who) { move(ledger_, who, who); },
        [&](std::size_t who) { work(who, outcome); });
    check(outcome);
    return outcome;
  }

  /// Of the steps of an update. It may be too late, is announced then, and may be too late twice more. Each attempt may
  /// copy everything, and make the updates of all.
  std::uint64_t bound() const {
    constexpr std::uint64_t most_attempts = 4;
    return most_attempts * (workers * steps_alone_ + steps_of_whole_copy());
  }

 private:
  void work(std::size_t who, Outcome& outcome) {
    Record& record = outcome.records[who];
    for (std::size_t i = 0; i < updates; ++i) {
      const std::uint64_t before = scheduler.steps_of_this_task();
      record.numbers[i] = move(ledger_, who, (who + 1 + i) % 4);
      record.steps[i] = scheduler.steps_of_this_task() - before;
      outcome.was_any_stopped |= scheduler.stopped() != 0;
    }
  }

  void check(const Outcome& outcome) {
    std::vector<long> numbers;
    for (const Record& record : outcome.records)
      numbers.insert(numbers.end(), record.numbers.begin(), record.numbers.end());
    std::ranges::sort(numbers);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      ASSERT_EQ(numbers[i], static_cast<long>(workers + i) + 1) << "each update is made once";
    long sum = 0;
    for (const Ledger::Cell& cell : ledger_.accounts) sum += cell.value;
    EXPECT_EQ(sum, 0) << "where no transaction runs";
    EXPECT_EQ(ledger_.updates, static_cast<long>(workers * (1 + updates)));
  }

  /// Of what one worker does that is alone.
  std::uint64_t steps_alone() {
    scheduler.start({});
    std::uint64_t steps = 0;
    // A thread that is alone takes no steps.
    std::thread other([&] {
      const std::uint64_t before = scheduler.steps_of_this_task();
      move(ledger_, 0, 1);
      steps = scheduler.steps_of_this_task() - before;
    });
    other.join();
    scheduler.stop();
    return steps;
  }

  /// Of copying and flushing all that is written to.
  static std::uint64_t steps_of_whole_copy() {
    constexpr std::uint64_t lines = pool::superblock_bytes / persistence::line_bytes;
    return statistics().replicas / (copies - 1) * lines * 2;
  }

  static constexpr unsigned copies = 7;  // for two that are stopped (docs/algorithms.md)

  Pool pool_ = Pool::open(path(), {.copies = copies});
  Ledger& ledger_ = pool_.root<Ledger>("ledger");
  std::uint64_t steps_alone_ = steps_alone();
};

/// Step by step in the long tests, otherwise now and then.
std::uint64_t stride(std::uint64_t in_short_tests) { return std::getenv("LONG_TESTS") != nullptr ? 1 : in_short_tests; }

constexpr auto strategies = [] {
  std::array<Strategy, 3> strategies{};
  for (std::size_t i = 0; i < strategies.size(); ++i)
    strategies[i] = {.kind = i == 0 ? Kind::sequential : Kind::uniform, .seed = i, .most_steps = 1'000'000};
  return strategies;
}();

TEST_F(StoppedAtEachStep, OneKeepsNoOtherFromUpdatesOfABoundedNumberOfSteps) {
  for (const Strategy& strategy : strategies) {
    const Outcome with_nobody_stopped = run(strategy, {});
    std::size_t stopped = 0;
    for (std::uint64_t step = 1; step <= with_nobody_stopped.steps && !HasFailure(); step += stride(53)) {
      const Outcome outcome = run(strategy, {step, 0});
      EXPECT_LE(outcome.most_steps(), bound()) << "one is stopped at step " << step;
      stopped += outcome.was_any_stopped ? 1 : 0;
    }
    EXPECT_GT(stopped, 0U);
  }
}

TEST_F(StoppedAtEachStep, TwoNeither) {
  for (const Strategy& strategy : strategies) {
    const Outcome with_nobody_stopped = run(strategy, {});
    for (std::uint64_t first = 1; first <= with_nobody_stopped.steps && !HasFailure(); first += 11 * stride(61))
      for (std::uint64_t second = first + 1; second <= with_nobody_stopped.steps; second += 13 * stride(71)) {
        const Outcome outcome = run(strategy, {first, second});
        EXPECT_LE(outcome.most_steps(), bound()) << "two are stopped at steps " << first << " and " << second;
      }
  }
}

}  // namespace
}  // namespace perdure::simulate
