// Trap 14: the log of a committed transaction is still active, the block that it wrote to is freed and handed out again
// as the last allocation of a later one, which writes it without a log. A crash would replay the older log over it.
#include "alloc/heap.h"
#include "by_hand.h"
#include "recover/replay.h"

namespace perdure {
namespace {

using namespace by_hand;

constexpr std::uint64_t logged = 1;
constexpr std::uint64_t direct = 2;

class ReusedBlock : public PoolTest {
 protected:
  struct Outcome {
    bool was_reused;
    std::uint64_t value;
  };

  /// What a crash leaves of what the later transaction wrote to the block, if it was given the block at all.
  Outcome after_a_crash() {
    std::uint64_t* block = nullptr;
    transact([&] {
      block = allocate_words(block_words);
      write(block[0], 0);
    });
    const DelayedCommitter older(sync::commit_clock.now() + 1);  // so that no log is retired
    transact([&] { write(block[0], logged); });
    transact([&] { entry::transactional_free(block); });
    bool was_reused = false;
    for (int i = 0; i < 10; ++i)
      transact([&] {
        auto* const fresh = allocate_words(block_words);
        write(fresh[0], direct);
        was_reused |= fresh == block;
      });
    recover::replay_logs(*alloc::current_heap());
    return {was_reused, block[0]};
  }

 private:
  static constexpr std::size_t block_words = 37;  // a size that nothing else here has
};

TEST_F(ReusedBlock, IsNotHandedOutWhileALogWritesToIt) {
  if (instance.optimisations.immediate_reuse) GTEST_SKIP() << "the published order";
  EXPECT_FALSE(after_a_crash().was_reused);
}

TEST_F(ReusedBlock, IsReplayedOverInThePublishedOrder) {
  if (!instance.optimisations.immediate_reuse) GTEST_SKIP() << "only the published order";
  const Outcome outcome = after_a_crash();
  EXPECT_TRUE(outcome.was_reused);
  EXPECT_EQ(outcome.value, logged) << "this test has lost its point: the order is harmless now";
}

}  // namespace
}  // namespace perdure
