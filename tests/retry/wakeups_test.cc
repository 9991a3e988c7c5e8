// No wake-up is lost, in whatever order the steps of the threads come: each step of the runtime is one of the scheduler
// that the crash simulator has. A thread that slept for ever would make the scheduler give up.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <string>
#include <thread>

#include "../pool/pool_test.h"
#include "perdure/nested.h"
#include "perdure/pool.h"
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
using Cells = std::array<Cell, 4>;

/// In a pool, and led to by nothing but locals. Of transactions that use other memory, commits wait until they have
/// ended, which would hide a lost wake-up.
long& cell(Cells& cells, int number) { return cells[number].value; }

void set(Cells& cells, int number, long value) {
  TM_BEGIN { cell(cells, number) = value; } TM_END;
}

/// One waits, the other commits what it waits for.
void hand_over(Cells& cells) {
  std::thread other([&] { set(cells, 0, 5); });
  long seen = 0;
  TM_BEGIN {
    if (cell(cells, 0) == 0) TM_RETRY;
    seen = cell(cells, 0);
  } TM_END;
  other.join();
  EXPECT_EQ(seen, 5);
}

/// Both wait for each other in turn.
void take_turns(Cells& cells) {
  const auto play = [&](long mine) {
    for (int round = 0; round < 2; ++round) {
      TM_BEGIN {
        if (cell(cells, 0) % 2 != mine) TM_RETRY;
        cell(cells, 0) += 1;
      } TM_END;
    }
  };
  std::thread other(play, 1);
  play(0);
  other.join();
  EXPECT_EQ(cell(cells, 0), 4);
}

/// Who waits for either gets both in the end.
void choose(Cells& cells) {
  std::thread first([&] { set(cells, 0, 1); });
  std::thread second([&] { set(cells, 1, 1); });
  for (int i = 0; i < 2; ++i) {
    TM_BEGIN {
          cell(cells, 3) += 10;  // undone
          if (cell(cells, 0) == 0) TM_RETRY;
          cell(cells, 0) = 0;
          cell(cells, 2) += cell(cells, 3);
          cell(cells, 3) = 0;
        } TM_OR_ELSE {
          if (cell(cells, 1) == 0) TM_RETRY;
          cell(cells, 1) = 0;
          cell(cells, 2) += 1;
        } TM_END;
  }
  first.join();
  second.join();
  EXPECT_EQ(cell(cells, 2), 11);
}

void cancel(Cells& cells) {
  Cancellation cancellation;
  std::thread other([&] { cancellation.cancel(); });
  bool was_cancelled = false;
  try {
    TM_BEGIN {
      if (cell(cells, 0) == 0) retry(cancellation);
    } TM_END;
  } catch (const RetryCancelled&) {
    was_cancelled = true;
  }
  other.join();
  EXPECT_TRUE(was_cancelled);
}

using Program = void (*)(Cells&);

/// \returns how many steps it took.
std::uint64_t run(Program program, Cells& cells, const Strategy& strategy) {
  TM_BEGIN { cells = {}; } TM_END;
  scheduler.start(strategy);
  program(cells);
  scheduler.stop();
  EXPECT_FALSE(sched::waiters.are_there());
  return scheduler.steps();
}

class Wakeups : public testing::PoolTest, public ::testing::WithParamInterface<Program> {
 protected:
  Pool pool_ = Pool::open(path());
  Cells& cells_ = pool_.root<Cells>("cells");
  static constexpr std::uint64_t stride = 20;  // of the second switch, in short tests
};

TEST_P(Wakeups, InEveryInterleavingWithTwoSwitches) {
  const bool is_long = std::getenv("LONG_TESTS") != nullptr;
  const std::uint64_t steps = run(GetParam(), cells_, {});
  RecordProperty("steps", std::to_string(steps));
  for (std::uint64_t first = 1; first <= steps && !HasFailure(); ++first) {
    const std::uint64_t most = run(GetParam(), cells_, {.kind = Kind::listed, .seed = first, .switches = {first, 0}});
    for (std::uint64_t second = first + 1 + (is_long ? 0 : first % stride); second <= most && !HasFailure();
         second += is_long ? 1 : stride * stride)
      run(GetParam(), cells_, {.kind = Kind::listed, .seed = second, .switches = {first, second}});
  }
}

TEST_P(Wakeups, InRandomInterleavings) {
  const std::uint64_t runs = std::getenv("LONG_TESTS") != nullptr ? 250'000 : 100;
  for (std::uint64_t seed = 1; seed <= runs && !HasFailure(); ++seed)
    run(GetParam(), cells_, {.kind = seed % 2 == 0 ? Kind::uniform : Kind::priorities, .seed = seed});
}

INSTANTIATE_TEST_SUITE_P(Programs, Wakeups, ::testing::Values(hand_over, take_turns, choose, cancel));

}  // namespace
}  // namespace perdure::simulate
