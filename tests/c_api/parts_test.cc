// The interface for C to parts of transactions that are undone alone, and to transactions that wait.
#include "parts.h"

#include <gtest/gtest.h>

#include <thread>

#include "perdure/perdure.h"
#include "sched/waiters.h"

namespace {

/// In ordinary memory, which transactions isolate as well.
class CParts : public ::testing::Test {
 protected:
  void change(long ready) {
    while (!perdure::sched::waiters.are_there()) std::this_thread::yield();
    TM_BEGIN { parts_.ready = ready; } TM_END;
  }

  Parts parts_{};
};

int return_four(void*) { return 4; }

TEST_F(CParts, APartIsUndoneByItsResult) {
  EXPECT_EQ(run_undone_part(&parts_), 0);
  EXPECT_EQ(parts_.tried, 1);
  EXPECT_EQ(parts_.taken, 0);
  parts_.result = 5;
  EXPECT_EQ(run_undone_part(&parts_), 0);
  EXPECT_EQ(parts_.tried, 1);
  EXPECT_EQ(parts_.taken, 5);
  EXPECT_EQ(perdure_nested(return_four, nullptr), 4);
}

TEST_F(CParts, AddToACounter) {
  parts_.result = 40;
  EXPECT_EQ(add_to_sum(&parts_), 0);
  EXPECT_EQ(parts_.taken, 40);
  EXPECT_EQ(parts_.sum, 41);
}

TEST_F(CParts, AlternativesWait) {
  for (long ready = 1; ready <= 2; ++ready) {
    parts_ = {};
    std::jthread thread([this] { EXPECT_EQ(run_alternatives(&parts_), 0); });
    change(ready);
    thread.join();
    EXPECT_EQ(parts_.taken, ready);
    EXPECT_EQ(parts_.tried, ready == 1 ? 1 : 0);
  }
}

TEST_F(CParts, ForAWhile) {
  parts_.nanoseconds = 20'000'000;
  EXPECT_EQ(wait_until_ready(&parts_), PERDURE_TIMED_OUT);
  EXPECT_EQ(parts_.tried, 0);
}

TEST_F(CParts, UntilCancelled) {
  perdure_cancellation cancellation{};
  parts_.nanoseconds = UINT64_MAX;
  parts_.cancellation = &cancellation;
  EXPECT_EQ(perdure_is_cancelled(&cancellation), 0);
  std::jthread thread([this] { EXPECT_EQ(wait_until_ready(&parts_), PERDURE_CANCELLED); });
  while (!perdure::sched::waiters.are_there()) std::this_thread::yield();
  perdure_cancel(&cancellation);
  thread.join();
  EXPECT_NE(perdure_is_cancelled(&cancellation), 0);
  EXPECT_EQ(parts_.tried, 0);
}

}  // namespace
