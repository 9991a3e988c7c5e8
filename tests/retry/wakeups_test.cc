// No wake-up is lost, in whatever order the steps of the threads come: each step of the runtime is one of the scheduler
// that the crash simulator has. A thread that slept for ever would make the scheduler give up.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <thread>

#include "perdure/nested.h"
#include "perdure/retry.h"
#include "perdure/transaction.h"
#include "sched/waiters.h"
#include "simulate/scheduler.h"

namespace perdure::simulate {
namespace {

using Kind = Strategy::Kind;

struct alignas(128) Cell {
  long value = 0;
};
std::array<Cell, 4> cells;

long& cell(int number) { return cells[number].value; }

void set(int number, long value) {
  TM_BEGIN { cell(number) = value; } TM_END;
}

/// One waits, the other commits what it waits for.
void hand_over() {
  std::thread other([] { set(0, 5); });
  long seen = 0;
  TM_BEGIN {
    if (cell(0) == 0) TM_RETRY;
    seen = cell(0);
  } TM_END;
  other.join();
  EXPECT_EQ(seen, 5);
}

/// Both wait for each other in turn.
void take_turns() {
  const auto play = [](long mine) {
    for (int round = 0; round < 2; ++round) {
      TM_BEGIN {
        if (cell(0) % 2 != mine) TM_RETRY;
        cell(0) += 1;
      } TM_END;
    }
  };
  std::thread other(play, 1);
  play(0);
  other.join();
  EXPECT_EQ(cell(0), 4);
}

/// Who waits for either gets both in the end.
void choose() {
  std::thread first([] { set(0, 1); });
  std::thread second([] { set(1, 1); });
  for (int i = 0; i < 2; ++i) {
    TM_BEGIN {
          cell(3) += 10;  // undone
          if (cell(0) == 0) TM_RETRY;
          cell(0) = 0;
          cell(2) += cell(3);
          cell(3) = 0;
        } TM_OR_ELSE {
          if (cell(1) == 0) TM_RETRY;
          cell(1) = 0;
          cell(2) += 1;
        } TM_END;
  }
  first.join();
  second.join();
  EXPECT_EQ(cell(2), 11);
}

Cancellation* cancellation = nullptr;

void cancel() {
  Cancellation its_own;
  cancellation = &its_own;
  std::thread other([] { cancellation->cancel(); });
  bool was_cancelled = false;
  try {
    TM_BEGIN {
      if (cell(0) == 0) retry(*cancellation);
    } TM_END;
  } catch (const RetryCancelled&) {
    was_cancelled = true;
  }
  other.join();
  EXPECT_TRUE(was_cancelled);
}

/// \returns how many steps it took.
std::uint64_t run(void (*program)(), const Strategy& strategy) {
  cells = {};
  scheduler.start(strategy);
  program();
  scheduler.stop();
  EXPECT_FALSE(sched::waiters.are_there());
  return scheduler.steps();
}

class Wakeups : public ::testing::TestWithParam<void (*)()> {
 protected:
  static constexpr std::uint64_t stride = 7;  // of the second switch, in short tests
};

TEST_P(Wakeups, InEveryInterleavingWithTwoSwitches) {
  const bool is_long = std::getenv("LONG_TESTS") != nullptr;
  const std::uint64_t steps = run(GetParam(), {});
  for (std::uint64_t first = 1; first <= steps && !HasFailure(); ++first) {
    const std::uint64_t most = run(GetParam(), {.kind = Kind::listed, .seed = first, .switches = {first, 0}});
    for (std::uint64_t second = first + 1 + (is_long ? 0 : first % stride); second <= most && !HasFailure();
         second += is_long ? 1 : stride * stride)
      run(GetParam(), {.kind = Kind::listed, .seed = second, .switches = {first, second}});
  }
}

TEST_P(Wakeups, InRandomInterleavings) {
  const std::uint64_t runs = std::getenv("LONG_TESTS") != nullptr ? 250'000 : 500;
  for (std::uint64_t seed = 1; seed <= runs && !HasFailure(); ++seed)
    run(GetParam(), {.kind = seed % 2 == 0 ? Kind::uniform : Kind::priorities, .seed = seed});
}

INSTANTIATE_TEST_SUITE_P(Programs, Wakeups, ::testing::Values(hand_over, take_turns, choose, cancel));

}  // namespace
}  // namespace perdure::simulate
