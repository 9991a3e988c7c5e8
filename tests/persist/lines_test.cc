// Lines that were flushed a moment ago are told from those of earlier rounds.
#include "persist/lines.h"

#include <gtest/gtest.h>

namespace perdure::persistence {
namespace {

constexpr std::uintptr_t line(unsigned number) { return std::uintptr_t{0x200000000000} + number * line_bytes; }

TEST(RecentLines, KnowsWhatCameInThisRound) {
  RecentLines<8> lines;
  EXPECT_TRUE(lines.insert(line(1)));
  EXPECT_FALSE(lines.insert(line(1)));
  lines.clear();
  EXPECT_TRUE(lines.insert(line(1)));
  EXPECT_FALSE(lines.insert(line(1)));
}

TEST(RecentLines, ForgetsInEveryRoundWhatCameInAnyBefore) {
  RecentLines<256> lines;
  for (unsigned round = 0; round < 3 * line_bytes; ++round) {
    // Each line but the first comes in some of the rounds only, at distances that share no factor.
    for (unsigned number = 0; number < 10; ++number) {
      if (round % (2 * number + 1) != 0) continue;
      EXPECT_TRUE(lines.insert(line(number))) << round;
      EXPECT_FALSE(lines.insert(line(number))) << round;
    }
    lines.clear();
  }
}

/// A line that came once and is asked for again after any number of rounds, the one where numbers begin anew included.
TEST(RecentLines, ForgetsForEver) {
  for (unsigned rounds = 1; rounds <= 2 * line_bytes + 1; ++rounds) {
    RecentLines<1> lines;
    EXPECT_TRUE(lines.insert(line(1)));
    for (unsigned round = 0; round < rounds; ++round) lines.clear();
    EXPECT_TRUE(lines.insert(line(1))) << rounds;
  }
}

}  // namespace
}  // namespace perdure::persistence
