// The order in which logs are retired under deferred flushing (log/retirement.h): a record may be retired only when
// every older one has been.
#include <thread>

#include "by_hand.h"
#include "log/retirement.h"
#include "recover/replay.h"

namespace perdure {
namespace {

using namespace by_hand;
class Retirement : public PoolTest {
 protected:
  /// The active records of the pool, counted as recovery would find them.
  std::size_t active_records() {
    std::size_t count = 0;
    heap().for_each_log_segment([&](void* segment) {
      if (static_cast<log::SegmentHeader*>(segment)->status != log::inactive) ++count;
    });
    return count;
  }

  alloc::Heap& heap() { return *alloc::current_heap(); }
};

TEST_F(Retirement, LogIsRetiredAtOnceWhenNoOlderOneIsActive) {
  auto* const shared = words(1);
  transact([&] { write(shared[0], 1); });
  EXPECT_EQ(active_records(), 0U);
}

TEST_F(Retirement, LogWaitsForAnOlderOneAndTheThreadDoesNot) {
  auto* const shared = words(1);
  {
    const DelayedCommitter older(sync::commit_clock.now() + 1);
    for (std::uint64_t i = 1; i <= 10; ++i) transact([&] { write(shared[0], i); });
    EXPECT_EQ(shared[0], 10U);
    EXPECT_EQ(active_records(), 10U) << "each record must stay until the older one is retired";
  }
  // The next transaction that comes by retires what is left.
  transact([&] { write(shared[0], 11); });
  EXPECT_EQ(active_records(), 0U);
}

TEST_F(Retirement, LogsThatWaitedAreRetiredWithOneFence) {
  auto* const shared = words(1);
  const auto fences_after = [&](std::uint64_t waiting) {
    {
      const DelayedCommitter older(sync::commit_clock.now() + 1);
      for (std::uint64_t i = 0; i < waiting; ++i) transact([&] { write(shared[0], i); });
    }
    reset_statistics();
    transact([&] { write(shared[0], 100); });
    EXPECT_EQ(active_records(), 0U);
    return statistics().fences;
  };
  fences_after(20);  // there are segments for all from now on, and the pool's header says that it has such logs
  const std::uint64_t alone = fences_after(0);
  for (const std::uint64_t waiting : {1, 2, 20}) EXPECT_EQ(fences_after(waiting), alone) << waiting;
}

TEST_F(Retirement, LogsOfAPoolThatIsClosedDoNotWaitForOtherPools) {
  auto* const shared = words(1);
  for (const int waiting : {1, 5}) {
    {
      const DelayedCommitter older(sync::commit_clock.now() + 1);
      {
        const TemporaryPool closed;
        const PoolScope scope(closed.pool());
        auto* const there = words(1);
        for (int i = 0; i < waiting; ++i) transact([&] { write(there[0], 1); });
        EXPECT_GE(active_records(), static_cast<std::size_t>(waiting)) << "they wait";
      }
      transact([&] { write(shared[0], 1); });
      EXPECT_EQ(active_records(), 1U) << "but for what is left here";
    }
    transact([&] { write(shared[0], 2); });
    EXPECT_EQ(active_records(), 0U) << "nobody looks for the logs of a pool that is not there any more";
  }
}

TEST_F(Retirement, YoungerBoundDoesNotHoldUpOlderLogs) {
  auto* const shared = words(1);
  const DelayedCommitter younger(sync::commit_clock.now() + 100);
  transact([&] { write(shared[0], 1); });
  EXPECT_EQ(active_records(), 0U);
}

TEST_F(Retirement, ReplayWritesActiveRecordsInCommitOrder) {
  auto* const shared = words(1);
  const DelayedCommitter older(sync::commit_clock.now() + 1);
  for (std::uint64_t i = 1; i <= 3; ++i) transact([&] { write(shared[0], i); });
  shared[0] = 0;  // as if nothing but the logs had reached memory
  const recover::ReplayReport report = recover::replay_logs(heap());
  EXPECT_EQ(report.transactions, 3U);
  EXPECT_EQ(shared[0], 3U);
  EXPECT_EQ(active_records(), 0U);
}

TEST_F(Retirement, LargeTransactionTakesSeveralSegmentsAndGivesThemBack) {
  constexpr std::size_t count = 100'000;  // some megabytes of log
  auto* const shared = words(count);
  const auto segments = [&] {
    std::size_t result = 0;
    heap().for_each_log_segment([&](void*) { ++result; });
    return result;
  };
  const auto write_all = [&](std::uint64_t value) {
    transact([&] {
      for (std::size_t i = 0; i < count; ++i) write(shared[i], value + i);
    });
  };
  write_all(1);
  const std::size_t taken = segments();
  EXPECT_GT(taken, 4U);
  for (std::uint64_t value = 2; value < 6; ++value) write_all(value);
  EXPECT_EQ(segments(), taken) << "segments are reused";
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(shared[i], 5 + i);
}

TEST_F(Retirement, ClosingAnotherPoolCostsNoSegments) {
  const auto segments = [&] {
    std::size_t result = 0;
    heap().for_each_log_segment([&](void*) { ++result; });
    return result;
  };
  auto* const shared = words(1);
  transact([&] { write(shared[0], 1); });
  const std::size_t before = segments();
  const auto other = std::filesystem::temp_directory_path() / ("perdure_other_" + std::to_string(getpid()) + ".pool");
  for (int i = 0; i < 5; ++i) {
    Pool::open(other).close();
    transact([&] { write(shared[0], 2); });
  }
  std::filesystem::remove(other);
  EXPECT_EQ(segments(), before);
}

TEST_F(Retirement, LargeRecordIsReplayedWhole) {
  constexpr std::size_t count = 50'000;
  auto* const shared = words(count);
  const DelayedCommitter older(sync::commit_clock.now() + 1);
  transact([&] {
    for (std::size_t i = 0; i < count; ++i) write(shared[i], i + 1);
  });
  std::memset(shared, 0, count * sizeof(std::uint64_t));
  EXPECT_EQ(recover::replay_logs(heap()).transactions, 1U);
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(shared[i], i + 1);
}

}  // namespace
}  // namespace perdure
