// What each library counts (perdure::Statistics). Flushes and fences: flush_counts_test.cc.
#include <atomic>
#include <chrono>
#include <thread>

#include "by_hand.h"
#include "pool/format.h"
#include "sched/hourglass.h"

namespace perdure {
namespace {

using namespace by_hand;

/// Whether new values wait in a redo log, where the transaction's own reads look for them.
bool is_lazy() { return !is_eager() && !has_replicas(); }

/// Whether a commit waits for everybody who was running, whatever memory they use.
bool always_quiesces() { return has_doomed_readers() && (mode_is("stm") || mode_is("naive") || mode_is("gp")); }

class Counts : public PoolTest {
 protected:
  Counts() : shared_(words(64)) { reset_statistics(); }

  /// Runs `work` in another thread while this one is in the middle of a transaction, which then goes on with `rest`.
  template <class Work, class Rest>
  void interrupted_by(Work&& work, Rest&& rest) {
    std::atomic<bool> runs{false}, is_done{false};
    std::thread other([&] {
      while (!runs) std::this_thread::yield();
      work();
      is_done = true;
    });
    transact([&] {
      runs = true;
      while (!is_done) std::this_thread::yield();
      rest();
    });
    other.join();
  }

  std::uint64_t* shared_;
};

TEST_F(Counts, Commits) {
  for (int i = 0; i < 3; ++i) transact([&] { write(shared_[0], 1); });
  for (int i = 0; i < 5; ++i) transact([&] { read(shared_[0]); });
  EXPECT_EQ(statistics().commits, 3U);
  EXPECT_EQ(statistics().read_only_commits, 5U);
}

TEST_F(Counts, AbortsByCause) {
  int attempts = 0;
  transact([&] {
    write(shared_[0], 1);
    if (++attempts <= 4) force_abort();
  });
  for (int i = 0; i < 2; ++i) {
    EXPECT_THROW(transact([&] {
                   write(shared_[0], 1);
                   throw 1;
                 }),
                 int);
  }
  EXPECT_EQ(statistics().aborts_validation, 4U);
  EXPECT_EQ(statistics().aborts_exception, 2U);
  EXPECT_EQ(statistics().aborts_locked, 0U);
  EXPECT_EQ(statistics().commits, 1U);
}

TEST_F(Counts, LocationsFoundLocked) {
  if (!algorithm_is("orec_eager") && !algorithm_is("orec_mixed") && !algorithm_is("tlrw"))
    GTEST_SKIP() << "holds no lock while the transaction runs, or one for all";
  std::atomic<bool> is_locked{false}, may_go_on{false};
  std::thread owner([&] {
    transact([&] {
      write(shared_[0], 1);
      is_locked = true;
      while (!may_go_on) std::this_thread::yield();
    });
  });
  while (!is_locked) std::this_thread::yield();
  int attempts = 0;
  transact([&] {
    if (++attempts == 3) may_go_on = true;
    write(shared_[0], 2);
  });
  owner.join();
  EXPECT_GE(statistics().aborts_locked, 2U);
}

TEST_F(Counts, LogBytes) {
  if (has_replicas()) GTEST_SKIP() << "has no log";
  transact([&] { read(shared_[0]); });
  EXPECT_EQ(statistics().log_bytes, 0U);
  transact([&] { write(shared_[0], 1); });
  const std::uint64_t one = statistics().log_bytes;
  EXPECT_EQ(one > 0, library_is_durable());
  transact([&] {
    for (int i = 0; i < 64; i += 8) write(shared_[i], 1);
  });
  EXPECT_GE(statistics().log_bytes - one, library_is_durable() ? 8 * 2 * sizeof(std::uint64_t) : 0U);
}

TEST_F(Counts, RedoLookUpsAndHits) {
  transact([&] {
    read(shared_[0]);
    write(shared_[0], 1);
    for (int i = 0; i < 3; ++i) read(shared_[0]);
  });
  EXPECT_EQ(statistics().redo_hits, is_lazy() ? 3U : 0U);
  EXPECT_GE(statistics().redo_lookups, statistics().redo_hits);
  if (!is_lazy()) EXPECT_EQ(statistics().redo_lookups, 0U);
}

TEST_F(Counts, ValidationsAndExtensions) {
  if (!has_doomed_readers()) GTEST_SKIP() << "others cannot commit meanwhile, or nothing is validated";
  if (has_replicas()) GTEST_SKIP() << "a transaction reads what was there when it began";
  if (always_quiesces()) GTEST_SKIP() << "the other commit would wait for this transaction";
  interrupted_by([&] { transact([&] { write(shared_[0], 1); }); },
                 [&] {
                   read(shared_[32]);  // where it matters that there was a commit: the start time moves here
                   EXPECT_EQ(read(shared_[0]), 1U);
                 });
  EXPECT_GE(statistics().validations, 1U);
  EXPECT_EQ(statistics().extensions, 1U);
}

TEST_F(Counts, QuiescenceTime) {
  if (!has_doomed_readers()) GTEST_SKIP() << "never waits for privatisation";
  using std::chrono_literals::operator""ms;
  std::atomic<bool> runs{false};
  std::thread reader([&] {
    transact([&] {
      runs = true;
      std::this_thread::sleep_for(50ms);
    });
  });
  while (!runs) std::this_thread::yield();
  transact([&] { write(shared_[0], 1); });
  reader.join();
  const Statistics counted = statistics();
  EXPECT_EQ(counted.quiescence_waits, always_quiesces() ? 1U : 0U);
  EXPECT_EQ(counted.quiescence_nanoseconds >= 1'000'000, always_quiesces());
}

// An update waits for those who read what it would overwrite: here the second, or that behind it.
TEST_F(Counts, UpdatesThatWaitForReaders) {
  if (!has_replicas()) GTEST_SKIP() << "there is one copy of memory";
  if (instance.facts.helps) GTEST_SKIP() << "there are copies enough for one that reads";
  using std::chrono_literals::operator""ms;
  std::atomic<bool> has_read{false}, may_end{false};
  std::thread reader([&] {
    transact([&] {
      read(shared_[0]);
      has_read = true;
      while (!may_end) std::this_thread::yield();
    });
  });
  while (!has_read) std::this_thread::yield();
  EXPECT_EQ(statistics().quiescence_waits, 0U);
  std::thread updates([&] {
    for (int i = 0; i < 4; ++i) transact([&] { write(shared_[0], 1); });
  });
  while (statistics().quiescence_waits == 0) std::this_thread::yield();
  std::this_thread::sleep_for(5ms);
  may_end = true;
  reader.join();
  updates.join();
  EXPECT_EQ(statistics().quiescence_waits, 1U);
  EXPECT_GE(statistics().quiescence_nanoseconds, 1'000'000U);
}

TEST_F(Counts, ReplicasAndTurns) {
  if (!has_replicas()) {
    transact([&] { write(shared_[0], 1); });
    EXPECT_EQ(statistics().replica_turns, 0U);
    EXPECT_EQ(statistics().replicas, 0U);
    EXPECT_EQ(statistics().replica_bytes, 0U);
    return;
  }
  const std::uint64_t before = statistics().replicas;
  for (int i = 0; i < 3; ++i) transact([&] { write(shared_[0], 1); });
  transact([&] { read(shared_[0]); });
  EXPECT_EQ(statistics().replica_turns, 3U);
  const std::size_t more = instance.facts.helps ? 0 : 1;
  EXPECT_EQ(statistics().replicas, before + more) << "of the superblock that was written to, or from its beginning";
  EXPECT_EQ(statistics().replica_bytes, statistics().replicas * pool::superblock_bytes);
  reset_statistics();
  EXPECT_EQ(statistics().replica_turns, 0U);
  EXPECT_EQ(statistics().replicas, before + more) << "what there is does not go with the counts";
  reopen({});
  EXPECT_EQ(statistics().replicas, 0U);
  EXPECT_EQ(statistics().replica_bytes, 0U);
}

TEST_F(Counts, HourglassTurns) {
  for (int i = 0; i < 2; ++i) {
    unsigned attempts = 0;
    transact([&] {
      if (attempts++ < sched::Hourglass::threshold) force_abort();
    });
  }
  EXPECT_EQ(statistics().hourglass_turns, 2U);
}

TEST_F(Counts, AllocationsAndFrees) {
  std::uint64_t* block = nullptr;
  transact([&] { block = allocate_words(8); });
  transact([&] {
    allocate_words(8);
    entry::transactional_free(block);
  });
  EXPECT_EQ(statistics().allocations, 2U);
  EXPECT_EQ(statistics().frees, 1U);
}

TEST_F(Counts, OfEndedThreadsAreKeptUntilTheReset) {
  std::thread([&] { transact([&] { write(shared_[0], 1); }); }).join();
  EXPECT_EQ(statistics().commits, 1U);
  reset_statistics();
  EXPECT_EQ(statistics().commits, 0U);
}

}  // namespace
}  // namespace perdure
