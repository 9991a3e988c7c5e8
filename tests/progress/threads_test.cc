// Threads come and go: what they took, others get.
#include <atomic>
#include <thread>
#include <vector>

#include "alloc/heap.h"
#include "log/record.h"
#include "persist/sanitizers.h"
#include "tests/isolation/in_parallel.h"
#include "tests/tx/by_hand.h"

namespace perdure {
namespace {

using namespace by_hand;

class Threads : public PoolTest {
 protected:
  /// What threads take and have to give back.
  struct Holdings {
    std::size_t slots = 0;
    std::size_t superblocks_in_use = 0;
    std::size_t log_segments = 0;
    std::size_t active_records = 0;
  };

  static Holdings holdings() {
    Holdings result;
    sched::thread_registry.for_each([&](const sched::ThreadSlot&) { ++result.slots; });
    alloc::Heap& heap = *alloc::current_heap();
    result.superblocks_in_use = heap.superblocks().count() - heap.superblocks().free();
    heap.for_each_log_segment([&](void* segment) {
      ++result.log_segments;
      if (static_cast<log::SegmentHeader*>(segment)->status != log::inactive) ++result.active_records;
    });
    return result;
  }

  static void count_up(std::uint64_t& counter) {
    transact([&] { write(counter, read(counter) + 1); });
  }
};

TEST_F(Threads, TenThousandComeAndGo) {
#if defined(PERDURE_THREAD_SANITIZER) || defined(PERDURE_ADDRESS_SANITIZER)
  constexpr unsigned waves = 50;
#else
  constexpr unsigned waves = 500;
#endif
  constexpr unsigned in_a_wave = 20;
  auto* const shared = words(1);
  std::atomic<std::uint64_t> next_size{0};
  const auto run_wave = [&] {
    in_parallel(in_a_wave, [&](unsigned) {
      std::uint64_t* block = nullptr;
      transact([&] { write(*(block = allocate_words(1 + next_size++ % 100)), 1); });
      count_up(shared[0]);
      transact([&] { entry::transactional_free(block); });
    });
  };
  for (unsigned i = 0; i < waves / 10; ++i) run_wave();
  const Holdings before = holdings();
  for (unsigned i = waves / 10; i < waves; ++i) run_wave();
  const Holdings after = holdings();
  EXPECT_EQ(shared[0], std::uint64_t{waves} * in_a_wave);
  EXPECT_LE(after.slots, in_a_wave + 5) << "slots are reused";
  EXPECT_LE(after.log_segments, 4 * in_a_wave) << "and so are log segments";
  // More than before only for what happens to wait in one place or the other; not for each wave.
  EXPECT_LE(after.superblocks_in_use, before.superblocks_in_use + 2 * in_a_wave) << "and so is memory";
  EXPECT_EQ(after.active_records, 0U);
}

/// Threads end while a log older than theirs keeps their logs from being retired.
TEST_F(Threads, EndWhileTheirLogsAreNotYetRetired) {
  if (waits_for_retirement()) GTEST_SKIP() << "a commit waits until its log is retired";
  auto* const shared = words(1);
  std::size_t segments = 0;
  for (unsigned round = 1; round <= 3; ++round) {
    sched::ThreadSlot& older = sched::thread_registry.acquire();
    older.unretired_since.store(1);
    in_parallel(10, [&](unsigned) {
      for (int i = 0; i < 5; ++i) count_up(shared[0]);
    });
    sched::thread_registry.release(older);
    count_up(shared[0]);
    const Holdings held = holdings();
    EXPECT_EQ(held.active_records, 0U) << "whoever comes by retires them";
    if (round == 1) segments = held.log_segments;
    EXPECT_LE(held.log_segments, segments + 10) << "segments are reused";
    EXPECT_EQ(shared[0], round * 51);
  }
}

std::uint64_t* counted_by_last_words = nullptr;

/// Runs transactions in the destructor of a thread-local object.
struct LastWords {
  ~LastWords() {
    for (int i = 0; i < 3; ++i)
      transact([&] {
        write(*counted_by_last_words, read(*counted_by_last_words) + 1);
        entry::transactional_free(allocate_words(1000));
      });
  }
  void arrange() {}
};

TEST_F(Threads, DestructorsOfThreadLocalObjectsRunTransactions) {
  auto* const shared = words(2);
  counted_by_last_words = &shared[0];
  const std::uint64_t commits_before = statistics().commits;
  const std::size_t superblocks_before = holdings().superblocks_in_use;
  constexpr unsigned rounds = 50;
  for (unsigned i = 0; i < rounds; ++i) {
    std::thread([&] {
      static thread_local LastWords destroyed_after_the_runtimes_own;
      destroyed_after_the_runtimes_own.arrange();
      count_up(shared[1]);
    }).join();
    std::thread([&] {
      count_up(shared[1]);
      static thread_local LastWords destroyed_before_the_runtimes_own;
      destroyed_before_the_runtimes_own.arrange();
    }).join();
    std::thread([&] {  // the only transactions of the thread
      static thread_local LastWords destroyed_alone;
      destroyed_alone.arrange();
    })
        .join();
  }
  EXPECT_EQ(shared[0], 9U * rounds);
  EXPECT_EQ(shared[1], 2U * rounds);
  const std::size_t copies = has_replicas() ? 8 : 1;
  EXPECT_LE(holdings().superblocks_in_use, superblocks_before + 4 * copies) << "blocks are given back";
  EXPECT_LE(holdings().slots, 30U) << "slots are given back also by threads that took them in a destructor";
  if (statistics().commits != 0) EXPECT_EQ(statistics().commits, commits_before + 11 * rounds);
}

}  // namespace
}  // namespace perdure
