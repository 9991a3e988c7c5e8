// Threads that ask for the same results, in whatever order their steps come: each result is evaluated once, and nobody
// waits for ever, which would make the scheduler of the crash simulator give up.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

#include "../pool/pool_test.h"
#include "perdure/memo.h"
#include "perdure/pool.h"
#include "sched/waiters.h"
#include "simulate/scheduler.h"

namespace perdure::simulate {
namespace {

using Kind = Strategy::Kind;
using Numbers = memo<long(int)>;

/// Both ask for both.
void share(Numbers::Table& table) {
  std::array<std::atomic<int>, 2> calls{};
  Numbers numbers(table, [&](int number) -> long {
    ++calls[static_cast<std::size_t>(number)];
    return 10 + number;
  });
  std::thread other([&] { EXPECT_EQ(numbers(1) + numbers(0), 21); });
  EXPECT_EQ(numbers(0) + numbers(1), 21);
  other.join();
  for (const auto& count : calls) EXPECT_EQ(count, 1);
}

/// The first that evaluates fails, and gets the exception; the other one does not, whether it waited or not.
void fail(Numbers::Table& table) {
  std::atomic<int> calls{0}, failed{0};
  Numbers numbers(table, [&](int) -> long {
    if (++calls == 1) throw std::runtime_error("not this time");
    return 10;
  });
  const auto ask = [&] {
    try {
      EXPECT_EQ(numbers(0), 10);
    } catch (const std::runtime_error&) {
      ++failed;
    }
  };
  std::thread other(ask);
  ask();
  other.join();
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(failed, 1);
}

/// One evicts what the other asks for.
void evict(Numbers::Table& table) {
  Numbers numbers(table, [](int number) -> long { return 10 + number; }, {.most_entries = 1});
  std::thread other([&] { EXPECT_EQ(numbers(1) + numbers(2), 23); });
  EXPECT_EQ(numbers(0) + numbers(1), 21);
  other.join();
  EXPECT_EQ(numbers.statistics().entries, 1U);
}

using Program = void (*)(Numbers::Table&);

class Interleavings : public testing::PoolTest, public ::testing::WithParamInterface<Program> {
 protected:
  /// \returns how many steps it took.
  std::uint64_t run(const Strategy& strategy) {
    Numbers(table_, [](int) -> long { return 0; }).clear();
    scheduler.start(strategy);
    GetParam()(table_);
    scheduler.stop();
    EXPECT_FALSE(sched::waiters.are_there());
    return scheduler.steps();
  }

  Pool pool_ = Pool::open(path());
  Numbers::Table& table_ = pool_.root<Numbers::Table>("numbers");
};

/// Some of them; in long tests more.
TEST_P(Interleavings, WithTwoSwitches) {
  const std::uint64_t stride = std::getenv("LONG_TESTS") != nullptr ? 3 : 11;
  const std::uint64_t steps = run({});
  for (std::uint64_t first = 1; first <= steps && !HasFailure(); first += stride) {
    const std::uint64_t most = run({.kind = Kind::listed, .seed = first, .switches = {first, 0}});
    for (std::uint64_t second = first + 1 + first % stride; second <= most && !HasFailure(); second += stride * stride)
      run({.kind = Kind::listed, .seed = second, .switches = {first, second}});
  }
}

TEST_P(Interleavings, AtRandom) {
  const std::uint64_t runs = std::getenv("LONG_TESTS") != nullptr ? 20'000 : 200;
  for (std::uint64_t seed = 1; seed <= runs && !HasFailure(); ++seed)
    run({.kind = seed % 2 == 0 ? Kind::uniform : Kind::priorities, .seed = seed});
}

INSTANTIATE_TEST_SUITE_P(Programs, Interleavings, ::testing::Values(share, fail, evict));

}  // namespace
}  // namespace perdure::simulate
