// When memory freed by a transaction may be handed out again.
#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "by_hand.h"
#include "sole_thread.h"
#include "sync/clock.h"

namespace perdure {
namespace {

using namespace by_hand;

class Reclamation : public PoolTest {
 protected:
  static constexpr std::size_t odd_size = 37;  // words; a size class that nothing else here uses

  static std::set<void*> allocate_and_free(int count) {
    std::set<void*> blocks;
    for (int i = 0; i < count; ++i) transact([&] { blocks.insert(allocate_words(odd_size)); });
    for (void* block : blocks) transact([&] { entry::transactional_free(block); });
    return blocks;
  }

  /// How many of `blocks` are handed out again in `count` allocations (which stay).
  static int reused(const std::set<void*>& blocks, int count) {
    int result = 0;
    for (int i = 0; i < count; ++i)
      transact([&] {
        auto* const shared = allocate_words(odd_size);
        write(shared[0], 1);
        result += static_cast<int>(blocks.count(shared));
      });
    return result;
  }
};

/// A transaction of another thread that runs for as long as the object lives.
class RunningTransaction {
 public:
  RunningTransaction() : slot_(sched::thread_registry.acquire()) {
    sched::sole_thread.end_claim();  // as any other does that begins
    slot_.running_since.store(sync::commit_clock.now());
  }
  ~RunningTransaction() { sched::thread_registry.release(slot_); }

 private:
  sched::ThreadSlot& slot_;
};

void advance_clock() {
  static std::uint64_t anything = 0;
  transact([&] { write(anything, read(anything) + 1); });
}

TEST_F(Reclamation, FreedBlocksAreReused) {
  const auto blocks = allocate_and_free(1000);
  EXPECT_GT(reused(blocks, 1000), 500);
}

TEST_F(Reclamation, NotWhileATransactionFromBeforeTheFreeIsRunning) {
  if (!has_doomed_readers()) GTEST_SKIP() << "nobody reads what another transaction has freed";
  if (!mode_is("ip") && !mode_is("gpw")) GTEST_SKIP() << "a commit waits for the reader (quiescence)";
  const RunningTransaction reader;
  advance_clock();  // the frees come later than the reader's start
  const auto blocks = allocate_and_free(1000);
  EXPECT_EQ(reused(blocks, 2000), 0);
}

TEST_F(Reclamation, NotWhileALogMayStillBeReplayedOverThem) {
  if (is_eager() || (mode_is("naive") && !has_doomed_readers())) GTEST_SKIP() << "logs hold nothing behind the commit";
  if (waits_for_retirement()) GTEST_SKIP() << "a commit waits until its log is retired";
  const NeverAlone others_may_read;  // where no log outlives its commit, who is alone frees at once
  const DelayedCommitter committer(sync::commit_clock.now() + 1);
  advance_clock();
  const auto blocks = allocate_and_free(1000);
  EXPECT_EQ(reused(blocks, 2000), 0);
}

/// Readers walk a list whose nodes are taken out, freed, reallocated and filled with garbage all the time: a doomed
/// reader must never see a node that is somebody else's by now.
TEST_F(Reclamation, DoomedReadersNeverSeeReusedMemory) {
  constexpr std::uint64_t sound = 0x50554e44;
  auto* const head = words(1);
  transact([&] {
    auto* const node = allocate_words(odd_size);
    write(node[0], sound);
    write(head[0], reinterpret_cast<std::uint64_t>(node));
  });
  std::atomic<bool> done{false};
  std::atomic<std::uint64_t> unsound{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i)
    readers.emplace_back([&] {
      while (!done)
        transact([&] {
          auto* const node = reinterpret_cast<std::uint64_t*>(read(head[0]));
          for (int repeat = 0; repeat < 20; ++repeat)
            if (read(node[0]) != sound) unsound.fetch_add(1);
        });
    });
  for (int i = 0; i < 2'000; ++i)
    transact([&] {
      entry::transactional_free(reinterpret_cast<void*>(read(head[0])));
      auto* const garbage = allocate_words(odd_size);  // captured: written without a lock
      write(garbage[0], 0xdead);
      entry::transactional_free(garbage);
      auto* const node = allocate_words(odd_size);
      write(node[0], sound);
      write(head[0], reinterpret_cast<std::uint64_t>(node));
    });
  done = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(unsound, 0U);
}

TEST_F(Reclamation, EndedThreadsLeaveNothingBehind) {
  // Each thread frees what the one before allocated, and ends with its frees still waiting.
  std::uint64_t* block = nullptr;
  for (int i = 0; i < 3000; ++i)
    std::thread([&] {
      transact([&] {
        if (block != nullptr) entry::transactional_free(block);
        write(*reinterpret_cast<std::uint64_t*>(&block), reinterpret_cast<std::uint64_t>(allocate_words(1000)));
      });
    }).join();
  // 3,000 blocks of 8,000 bytes; far fewer are needed at any time.
  EXPECT_LT(std::filesystem::file_size(pool().path()), 16U << 20);
}

}  // namespace
}  // namespace perdure
