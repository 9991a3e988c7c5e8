// The simulator's model of hardware transactions aborts where a processor does, and shows nothing of what has aborted.
#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "htm/simulated.h"
#include "persist/simulated.h"
#include "simulate/hardware.h"
#include "simulate/scheduler.h"

namespace perdure::simulate {
namespace {

using htm::Simulated;
using htm::Status;

constexpr std::size_t another_task = 1;  // the test's own is 0

struct alignas(64) Line {
  std::uint64_t word = 0;
};

class Model : public testing::Test {
 protected:
  Model() { hardware.start(1, {}); }
  ~Model() override { hardware.start(0, {}); }

  std::array<Line, 8> lines_;
};

TEST_F(Model, ShowsItsStoresAtTheCommit) {
  const Status status = Simulated::attempt([&] {
    Simulated::store(lines_[0].word, std::uint64_t{5});
    Simulated::store(lines_[1].word, Simulated::load(lines_[0].word) + 1);
    EXPECT_EQ(lines_[0].word, 0U);
    EXPECT_EQ(lines_[1].word, 0U);
  });
  EXPECT_TRUE(status.has_committed());
  EXPECT_EQ(lines_[0].word, 5U);
  EXPECT_EQ(lines_[1].word, 6U);
}

TEST_F(Model, GivesUpWithACode) {
  const Status status = Simulated::attempt([&] {
    Simulated::store(lines_[0].word, std::uint64_t{5});
    Simulated::give_up<3>();
  });
  EXPECT_FALSE(status.has_committed());
  EXPECT_TRUE(status.was_given_up());
  EXPECT_EQ(status.code(), 3);
  EXPECT_EQ(lines_[0].word, 0U);
}

TEST_F(Model, AbortsWhenItFlushes) {
  const Status status = Simulated::attempt([&] {
    Simulated::store(lines_[0].word, std::uint64_t{5});
    persistence::Simulated::flush(&lines_[1]);
  });
  EXPECT_EQ(status.bits(), Status::other);
  EXPECT_FALSE(status.is_worth_another_attempt());
  EXPECT_EQ(lines_[0].word, 0U);
}

TEST_F(Model, AbortsWhenItAccessesTooMuch) {
  hardware.start(1, {.read_lines = 2, .written_lines = 3});
  const auto store_to = [&](std::size_t count) {
    return Simulated::attempt([&] {
      for (std::size_t i = 0; i < count; ++i) Simulated::store(lines_[i].word, std::uint64_t{1});
    });
  };
  const auto load_from = [&](std::size_t count) {
    return Simulated::attempt([&] {
      for (std::size_t i = 0; i < count; ++i) Simulated::load(lines_[i].word);
    });
  };
  EXPECT_TRUE(store_to(3).has_committed());
  EXPECT_EQ(store_to(4).bits(), Status::capacity);
  EXPECT_TRUE(load_from(2).has_committed());
  EXPECT_EQ(load_from(3).bits(), Status::capacity);
  EXPECT_EQ(lines_[3].word, 0U);
}

/// One transaction stands still while another thread, which no scheduler knows, makes a plain access.
TEST_F(Model, AbortsAtConflictsWithPlainAccesses) {
  const auto beside = [&](const Line& line, bool stores) {
    return Simulated::attempt([&] {
      Simulated::load(lines_[0].word);
      Simulated::store(lines_[1].word, std::uint64_t{1});
      hardware.before_access(another_task, reinterpret_cast<std::uintptr_t>(&line), sizeof(line.word), stores);
    });
  };
  constexpr std::uint32_t conflict = Status::conflict | Status::may_succeed;
  EXPECT_TRUE(beside(lines_[0], false).has_committed());
  EXPECT_EQ(beside(lines_[0], true).bits(), conflict);
  EXPECT_EQ(beside(lines_[1], false).bits(), conflict);
  EXPECT_EQ(beside(lines_[1], true).bits(), conflict);
  EXPECT_TRUE(beside(lines_[2], true).has_committed());
}

/// Sums are right, and the runs meet both conflicts and interrupts.
TEST_F(Model, IsolatesThreads) {
  HardwareModel::Counts seen;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    lines_ = {};
    scheduler.start({.kind = Strategy::Kind::uniform, .seed = seed});
    hardware.start(seed, {.accesses_an_interrupt = 16});
    const auto count_up = [&] {
      for (int i = 0; i < 3; ++i)
        while (!Simulated::attempt([&] {
                  Simulated::store(lines_[0].word, Simulated::load(lines_[0].word) + 1);
                  Simulated::store(lines_[1].word, Simulated::load(lines_[1].word) + 1);
                }).has_committed()) {
        }
    };
    std::thread other(count_up);
    count_up();
    other.join();
    scheduler.stop();
    EXPECT_EQ(lines_[0].word, 6U) << "seed " << seed;
    EXPECT_EQ(lines_[1].word, 6U) << "seed " << seed;
    EXPECT_EQ(hardware.counts().commits, 6U);
    seen.conflicts += hardware.counts().conflicts;
    seen.other += hardware.counts().other;
  }
  EXPECT_GT(seen.conflicts, 0U);
  EXPECT_GT(seen.other, 0U);
}

}  // namespace
}  // namespace perdure::simulate
