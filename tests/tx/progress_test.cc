// Progress: the hourglass lets a transaction finish that keeps losing, one after the other in the order they asked.
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include "by_hand.h"
#include "sched/hourglass.h"
#include "sync/byte_lock.h"

namespace perdure {
namespace {

using namespace by_hand;

class Progress : public PoolTest {};

TEST_F(Progress, DistressedTransactionTakesTheHourglassAndReturnsIt) {
  auto* const shared = words(1);
  const std::uint64_t before = statistics().hourglass_turns;
  unsigned attempts = 0;
  transact([&] {
    write(shared[0], 1);
    if (attempts++ < sched::Hourglass::threshold + 5) force_abort();
    EXPECT_TRUE(sched::hourglass.is_turned());
  });
  EXPECT_EQ(statistics().hourglass_turns, before + 1);
  EXPECT_FALSE(sched::hourglass.is_turned());
}

TEST_F(Progress, EachAbortCountsOnce) {
  for (const unsigned aborts : {sched::Hourglass::threshold - 1, sched::Hourglass::threshold}) {
    const Statistics before = statistics();
    unsigned attempts = 0;
    transact([&] {
      if (attempts++ < aborts) force_abort();
    });
    EXPECT_EQ(statistics().aborts_validation, before.aborts_validation + aborts);
    const std::uint64_t turns = aborts == sched::Hourglass::threshold ? 1 : 0;
    EXPECT_EQ(statistics().hourglass_turns, before.hourglass_turns + turns) << aborts << " aborts in a row";
  }
}

TEST_F(Progress, ExceptionFromADistressedTransactionReturnsTheHourglass) {
  unsigned attempts = 0;
  EXPECT_THROW(transact([&] {
                 if (attempts++ < sched::Hourglass::threshold + 1) force_abort();
                 throw 1;
               }),
               int);
  EXPECT_FALSE(sched::hourglass.is_turned());
}

TEST_F(Progress, NewAttemptsWaitForADistressedTransaction) {
  sched::hourglass.turn();
  std::atomic<bool> finished{false};
  std::thread other([&] {
    transact([] {});
    finished = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(finished);
  sched::hourglass.release();
  other.join();
  EXPECT_TRUE(finished);
}

/// Who has aborted gives its locks back before it waits for its next attempt.
TEST_F(Progress, WaitsWithoutItsLocks) {
  if (algorithm_is("lock_lazy")) GTEST_SKIP() << "one transaction at a time";
  auto* const shared = words(1);
  std::atomic<bool> others_run{false}, has_written{false}, must_abort{false};
  std::thread other([&] {
    while (!others_run) std::this_thread::yield();
    int attempts = 0;
    transact([&] {
      write(shared[0], read(shared[0]) + 1);
      if (++attempts > 1) return;
      has_written = true;
      while (!must_abort) std::this_thread::yield();
      force_abort();
    });
  });
  int attempts = 0;
  transact([&] {
    if (++attempts > 1) return sched::hourglass.release();  // the lock was still held: let it all end
    others_run = true;
    while (!has_written) std::this_thread::yield();
    sched::hourglass.turn();  // from now on the other one cannot begin
    must_abort = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    write(shared[0], read(shared[0]) + 10);
  });
  if (attempts == 1) sched::hourglass.release();
  other.join();
  EXPECT_EQ(attempts, 1) << "somebody waits with a lock held";
  EXPECT_EQ(shared[0], attempts == 1 ? 11U : 1U);
}

/// Who waits for its next attempt is let through by serial transactions, too, which follow each other.
TEST_F(Progress, WhoHasAbortedIsLetThroughFirst) {
  if (algorithm_is("lock_lazy")) return;  // one transaction at a time: serial ones do not turn the hourglass
  std::atomic<bool> runs{false}, must_abort{false}, is_clear{false};
  std::thread aborted([&] {
    int attempts = 0;
    transact([&] {
      if (++attempts > 1) return;
      runs = true;
      while (!must_abort) std::this_thread::yield();
      force_abort();
    });
  });
  while (!runs) std::this_thread::yield();
  sched::hourglass.turn();  // from now on nobody begins
  must_abort = true;
  std::atomic<unsigned> passes{0};
  std::thread next([&] {
    for (; !is_clear; ++passes) {
      sched::hourglass.let_waiting_pass();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  // As soon as the aborted one waits, the next lets it pass first, and so does not go on.
  const auto goes_on = [&] {
    const unsigned before = passes;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return passes != before;
  };
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  bool is_known = false;
  while (!is_known && std::chrono::steady_clock::now() < end) is_known = !goes_on();
  EXPECT_TRUE(is_known) << "nobody knows of the thread that waits";
  is_clear = true;
  sched::hourglass.release();
  next.join();
  aborted.join();
}

/// Two transactions have read a word, and both want to write it: neither can until the other gives up. Who comes second
/// knows, and must not make both wait.
TEST_F(Progress, ReaderThatAWriterWaitsForGivesUpAtOnce) {
  if (!algorithm_is("tlrw")) GTEST_SKIP() << "readers are not waited for";
  constexpr int rounds = 100;
  auto* const shared = words(1);
  sync::ByteLock& lock = sync::byte_lock_table.of(shared);
  const auto is_owned = [&] {
    if (!lock.try_read({})) return true;
    lock.end_read({});
    return false;
  };
  int given_up = 0;
  for (int round = 0; round < rounds; ++round) {
    std::atomic<int> readers{0};
    const auto meet = [&] {
      readers.fetch_add(1);
      while (readers < 2) std::this_thread::yield();
    };
    std::thread first([&] {
      bool have_met = false;
      transact([&] {
        const std::uint64_t value = read(shared[0]);
        if (!std::exchange(have_met, true)) meet();
        write(shared[0], value + 1);
      });
    });
    int attempts = 0;
    transact([&] {
      const std::uint64_t value = read(shared[0]);
      if (++attempts == 1) {
        meet();
        while (!is_owned()) continue;
      }
      write(shared[0], value + 1);
    });
    first.join();
    given_up += attempts > 1 ? 1 : 0;
  }
  EXPECT_EQ(shared[0], 2U * rounds);
  // Not always: if this thread loses the processor for long enough, the other gives up.
  EXPECT_GE(given_up, rounds * 3 / 4);
}

}  // namespace
}  // namespace perdure
