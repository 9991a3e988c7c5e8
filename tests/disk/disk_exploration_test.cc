// perdure-crashtest --disk, called as a function: it finds nothing in a sound program, and what is wrong in others.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "perdure/crashtest.h"
#include "perdure/perdure.h"
#include "perdure/pool.h"
#include "persist/fault.h"
#include "simulate/disk_exploration.h"

namespace perdure::simulate {
namespace {

struct Root {
  std::uint64_t count = 0;
  std::map<std::uint64_t, std::string> texts;
};

bool works_in_halves = false;
bool promises_early = false;

void step(Root& root, std::uint64_t number) {
  if (works_in_halves) {
    TM_BEGIN { root.texts[number] = std::string(number * 40, 'x'); } TM_END;
    TM_BEGIN { root.count = number; } TM_END;
    return;
  }
  TM_BEGIN {
    root.texts[number] = std::string(number * 40, 'x');
    root.count = number;
  } TM_END;
}

class OnDisk : public testing::Test {
 protected:
  void SetUp() override {
    works_in_halves = false;
    promises_early = false;
  }
  void TearDown() override { persistence::seeded_fault = persistence::Fault::none; }

  static DiskVerdict explore(unsigned depth = 1, unsigned samples = 2, std::optional<DiskCase> replay = {}) {
    return explore_on_disk({.depth = depth, .samples = samples, .replay = std::move(replay)});
  }
};

TEST_F(OnDisk, FindsNothingWrongInASoundProgram) {
  const DiskVerdict verdict = explore(2, 1);
  EXPECT_EQ(verdict.violation.value_or(""), "");
  EXPECT_GT(verdict.report.calls, 20);
  EXPECT_GE(verdict.report.states, verdict.report.calls * 2 + verdict.report.nested);
  EXPECT_GT(verdict.report.nested, verdict.report.calls);
}

TEST_F(OnDisk, FindsTransactionsThatAreTooSmall) {
  works_in_halves = true;
  const DiskVerdict verdict = explore();
  ASSERT_TRUE(verdict.violation);
  EXPECT_NE(verdict.violation->find("perdure_crash_check returned 2"), std::string::npos) << *verdict.violation;
  const auto replay = DiskCase::parse(verdict.at.spell());
  ASSERT_TRUE(replay);
  EXPECT_EQ(explore(1, 1, replay).violation, verdict.violation);
}

TEST_F(OnDisk, FindsBrokenPromises) {
  promises_early = true;
  const DiskVerdict verdict = explore();
  ASSERT_TRUE(verdict.violation);
  EXPECT_NE(verdict.violation->find("perdure_crash_check returned 1"), std::string::npos) << *verdict.violation;
}

TEST_F(OnDisk, FindsFaultsInTheLog) {
  using persistence::Fault;
  for (const Fault fault : {Fault::commit_not_waiting, Fault::acknowledged_unflushed, Fault::blocks_not_logged}) {
    persistence::seeded_fault = fault;
    EXPECT_TRUE(explore().violation) << "fault " << static_cast<int>(fault);
  }
}

TEST(DiskCases, AreSpelledAndRead) {
  for (const char* const text : {"disk/1k", "disk/12:3/4k", "disk/12:18446744073709551615"}) {
    const auto read = DiskCase::parse(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(read->spell(), text);
  }
  for (const char* const text : {"", "disk", "disk/", "disk/1", "disk/k", "disk/1:", "disk/1:2x", "uniform-7/120"})
    EXPECT_FALSE(DiskCase::parse(text)) << text;
}

}  // namespace
}  // namespace perdure::simulate

using perdure::simulate::Root;

extern "C" int perdure_crash_workload(const char* pool) {
  constexpr std::uint64_t steps = 4;
  auto opened = perdure::Pool::open(pool);
  Root& root = opened.root<Root>("root");
  for (std::uint64_t number = 1; number <= steps; ++number) {
    if (perdure::simulate::promises_early) perdure_crash_acknowledge(number);
    perdure::simulate::step(root, number);
    perdure_crash_acknowledge(number);
  }
  return 0;
}

extern "C" int perdure_crash_check(const char* pool) {
  auto opened = perdure::Pool::open(pool);
  Root& root = opened.root<Root>("root");
  if (root.count < perdure_crash_acknowledged()) return 1;
  if (root.texts.size() != root.count) return 2;
  for (const auto& [number, text] : root.texts)
    if (text != std::string(number * 40, 'x')) return 2;
  return 0;
}
