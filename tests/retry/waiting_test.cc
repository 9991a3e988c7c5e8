// Transactions that wait: until something that they have read changes, and neither longer nor shorter.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <thread>
#include <vector>

#include "../pool/pool_test.h"
#include "perdure/error.h"
#include "perdure/nested.h"
#include "perdure/pool.h"
#include "perdure/retry.h"
#include "perdure/statistics.h"
#include "perdure/transaction.h"
#include "persist/instance.h"
#include "sched/waiters.h"
#include "tx/abort.h"

namespace perdure {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

[[perdure::pure]] void count(std::atomic<int>& attempts) { ++attempts; }

/// So many attempts are made. They are counted outside of what is rolled back.
[[perdure::pure]] void abort_until(std::atomic<int>& attempts, int last) {
  if (++attempts < last) tx::abort(tx::CommitResult::validation);
}

struct alignas(128) Cell {
  long value = 0;
};

struct Data {
  std::array<Cell, 16> cells;
  long* block = nullptr;
};

/// Where a test waits for a thread to wait.
void wait_for_waiters() {
  const auto deadline = Clock::now() + 30s;
  while (!sched::waiters.are_there() && Clock::now() < deadline) std::this_thread::sleep_for(1ms);
  ASSERT_TRUE(sched::waiters.are_there());
}

class WaitingTest : public testing::PoolTest {
 protected:
  long& cell(int number) { return data_->cells[number].value; }
  void set(int number, long value) {
    TM_BEGIN { cell(number) = value; } TM_END;
  }
  /// A thread that waits until the cell is not 0.
  std::jthread waiter_for(int number, long& seen) {
    return std::jthread([this, number, &seen] {
      TM_BEGIN {
        if (cell(number) == 0) TM_RETRY;
        seen = cell(number);
      } TM_END;
    });
  }

  Pool pool_ = Pool::open(path());
  Data* data_ = &pool_.root<Data>("data");
};

TEST_F(WaitingTest, UntilWhatWasReadChanges) {
  long seen = 0;
  std::jthread thread = waiter_for(0, seen);
  wait_for_waiters();
  set(0, 5);
  thread.join();
  EXPECT_EQ(seen, 5);
  EXPECT_FALSE(sched::waiters.are_there());
}

/// Each thread's turn comes by the other's commit: if one wake-up were lost, both would wait for ever.
TEST_F(WaitingTest, NoWakeUpIsLost) {
  constexpr long rounds = 2000;
  const auto play = [&](long mine) {
    for (long round = 0; round < rounds; ++round) {
      TM_BEGIN {
        if (cell(0) % 2 != mine) retry_for(60s);
        cell(0) += 1;
      } TM_END;
    }
  };
  {
    const std::jthread other(play, 1);
    play(0);
  }
  EXPECT_EQ(cell(0), 2 * rounds);
}

TEST_F(WaitingTest, ForAnyOfManyThings) {
  for (int changed = 0; changed < 8; ++changed) {
    long sum = 0;
    {
      const std::jthread thread([&] {
        TM_BEGIN {
          sum = 0;
          for (int i = 0; i < 8; ++i) sum += cell(i);
          if (sum % 2 == 0) TM_RETRY;
        } TM_END;
      });
      wait_for_waiters();
      set(changed, 1);
    }
    EXPECT_EQ(sum, 1);
    set(changed, 0);
  }
}

/// What the transaction has written before it reads it counts as well.
TEST_F(WaitingTest, ForWhatIsWrittenToo) {
  std::atomic<int> attempts{0};
  {
    const std::jthread thread([&] {
      TM_BEGIN {
        count(attempts);
        data_->cells[0].value += 1;
        if (data_->cells[0].value < 3) TM_RETRY;
      } TM_END;
    });
    wait_for_waiters();
    set(0, 1);
    set(0, 2);
  }
  EXPECT_EQ(cell(0), 3);
  EXPECT_GE(attempts, 2);
}

TEST_F(WaitingTest, AlternativesWaitForBoth) {
  for (int changed = 0; changed < 2; ++changed) {
    long taken = -1;
    {
      const std::jthread thread([&] {
        TM_BEGIN {
              cell(2) = 7;
              if (cell(0) == 0) TM_RETRY;
              taken = 0;
            } TM_OR_ELSE {
              if (cell(1) == 0) TM_RETRY;
              taken = 1;
            } TM_END;
      });
      wait_for_waiters();
      set(changed, 1);
    }
    EXPECT_EQ(taken, changed);
    EXPECT_EQ(cell(2), changed == 0 ? 7 : 0);
    set(changed, 0);
    set(2, 0);
  }
}

TEST_F(WaitingTest, ForAWhile) {
  const auto start = Clock::now();
  EXPECT_THROW(
      {
        TM_BEGIN {
          cell(1) = 1;
          if (cell(0) == 0) retry_for(50ms);
        } TM_END;
      },
      RetryTimeout);
  EXPECT_GE(Clock::now() - start, 50ms);
  EXPECT_EQ(cell(1), 0);
  EXPECT_FALSE(sched::waiters.are_there());
  // Caught in the transaction, which goes on.
  bool is_late = false;
  for (int i = 0; i < 2; ++i) {
    TM_BEGIN {
      cell(1) = 1;
      try {
        retry_for(10ms);
      } catch (const RetryTimeout&) {
        is_late = true;
      }
      cell(1) += 1;
    } TM_END;
    EXPECT_TRUE(is_late);
    EXPECT_EQ(cell(1), 2);
  }
}

/// From when it came there first, though a conflict had it run again before.
TEST_F(WaitingTest, ForAWhileAfterAConflict) {
  std::atomic<int> attempts{0};
  const auto start = Clock::now();
  EXPECT_THROW(
      {
        TM_BEGIN {
          cell(1) = 1;
          abort_until(attempts, 3);
          retry_for(50ms);
        } TM_END;
      },
      RetryTimeout);
  EXPECT_GE(Clock::now() - start, 50ms);
}

/// Also in an alternative, whose time is that of the transaction, and not of one before.
TEST_F(WaitingTest, ForAWhileInAlternatives) {
  for (int i = 0; i < 2; ++i) {
    const auto start = Clock::now();
    long taken = 0;
    TM_BEGIN { retry_for(1h); } TM_OR_ELSE { taken = 2; } TM_END;
    EXPECT_EQ(taken, 2);
    EXPECT_THROW({ TM_BEGIN { retry_for(30ms); } TM_OR_ELSE { TM_RETRY; } TM_END; }, RetryTimeout);
    EXPECT_GE(Clock::now() - start, 30ms);
  }
}

TEST_F(WaitingTest, UntilCancelled) {
  Cancellation cancellation;
  std::atomic<bool> was_cancelled = false;
  std::jthread thread([&] {
    try {
      TM_BEGIN {
        cell(1) = 1;
        if (cell(0) == 0) retry(cancellation);
      } TM_END;
    } catch (const RetryCancelled&) {
      was_cancelled = true;
    }
  });
  wait_for_waiters();
  cancellation.cancel();
  thread.join();
  EXPECT_TRUE(was_cancelled);
  EXPECT_EQ(cell(1), 0);
  EXPECT_THROW({ TM_BEGIN { retry_for(1h, cancellation); } TM_END; }, RetryCancelled);
}

double processor_milliseconds() {
  rusage used{};
  getrusage(RUSAGE_THREAD, &used);
  const auto milliseconds = [](const timeval& time) { return 1e3 * double(time.tv_sec) + 1e-3 * double(time.tv_usec); };
  return milliseconds(used.ru_utime) + milliseconds(used.ru_stime);
}

TEST_F(WaitingTest, UsesNoProcessorTime) {
  double used = 0;
  long switches = 0;
  std::jthread thread([&] {
    TM_BEGIN { cell(1) = cell(0); } TM_END;
    rusage before{}, after{};
    getrusage(RUSAGE_THREAD, &before);
    used = -processor_milliseconds();
    TM_BEGIN {
      if (cell(0) == 0) TM_RETRY;
    } TM_END;
    used += processor_milliseconds();
    getrusage(RUSAGE_THREAD, &after);
    switches = after.ru_nvcsw - before.ru_nvcsw;
  });
  wait_for_waiters();
  std::this_thread::sleep_for(300ms);
  set(0, 1);
  thread.join();
  EXPECT_LT(used, 15);  // of at least 300
  EXPECT_LT(switches, 20);
}

/// Nobody waits for the waiting thread: so blocks come free, and serial transactions run.
TEST_F(WaitingTest, HoldsUpNobody) {
  TM_BEGIN { data_->block = new long[8]{1}; } TM_END;
  long seen = 0;
  std::jthread thread([&] {
    TM_BEGIN { cell(3) = 1; }  // it has a log, too
    TM_END;
    TM_BEGIN {
      if (data_->block[0] == 1) TM_RETRY;
      seen = data_->block[0];
    } TM_END;
  });
  wait_for_waiters();
  const std::size_t size = instance.durable ? std::filesystem::file_size(path()) : 0;
  for (int i = 0; i < 400; ++i) {
    TM_BEGIN {
      delete[] data_->block;
      data_->block = new long[4096]{1};
    } TM_END;
  }
  TM_SERIAL { cell(4) = 1; }
  TM_END;
  const std::size_t copies = instance.facts.helps ? 8 : 1;  // a superblock has them from its beginning
  if (instance.durable) EXPECT_LT(std::filesystem::file_size(path()), size + copies * 400 * sizeof(long[4096]) / 2);
  TM_BEGIN { data_->block[0] = 2; } TM_END;
  thread.join();
  EXPECT_EQ(seen, 2);
}

/// Not by all that commit, where the algorithm knows what was read: only by the first one, to which it is new that
/// others wait.
TEST_F(WaitingTest, IsWokenByThoseConcerned) {
  long seen = 0;
  std::jthread thread = waiter_for(0, seen);
  wait_for_waiters();
  const auto waits = statistics().waits;
  for (int i = 0; i < 200; ++i) set(9, i);
  const auto more = statistics().waits - waits;
  set(0, 1);
  thread.join();
  const bool knows_what_was_read = instance.facts.doomed_readers && !instance.facts.replicas;
  if (knows_what_was_read) EXPECT_LE(more, 2U);
}

TEST_F(WaitingTest, SerialTransactionsWake) {
  long seen = 0;
  std::jthread thread = waiter_for(0, seen);
  wait_for_waiters();
  TM_SERIAL { cell(0) = 3; }
  TM_END;
  thread.join();
  EXPECT_EQ(seen, 3);
}

TEST_F(WaitingTest, SerialTransactionsCannotWait) {
  EXPECT_THROW(
      {
        TM_SERIAL {
          cell(1) = 1;
          TM_RETRY;
        }
        TM_END;
      },
      Error);
  EXPECT_EQ(cell(1), 0);
  TM_BEGIN { cell(1) = 2; } TM_END;
  EXPECT_EQ(cell(1), 2);
}

/// A queue of one place, several threads at each end.
TEST_F(WaitingTest, Queue) {
  constexpr long items = 500;
  constexpr int threads = 3;
  std::atomic<long> sum = 0;
  {
    std::vector<std::jthread> all;
    for (int t = 0; t < threads; ++t) {
      all.emplace_back([&, t] {
        for (long i = 0; i < items; ++i) {
          TM_BEGIN {
            if (cell(0) != 0) retry_for(60s);
            cell(0) = 1 + t * items + i;
          } TM_END;
        }
      });
      all.emplace_back([&] {
        for (long i = 0; i < items; ++i) {
          long taken = 0;
          TM_BEGIN {
            if (cell(0) == 0) retry_for(60s);
            taken = cell(0);
            cell(0) = 0;
          } TM_END;
          sum += taken;
        }
      });
    }
  }
  constexpr long all = items * threads;
  EXPECT_EQ(sum, all * (all + 1) / 2);
}

}  // namespace
}  // namespace perdure
