// A thread gets the block again that it has freed as soon as nobody can reach it, at once when it is alone
// (tx/memory_manager.h): while records that write to the block may still be replayed. What is in it is in the log, too.
#include <atomic>
#include <stdexcept>
#include <thread>

#include "alloc/heap.h"
#include "recover/replay.h"
#include "sole_thread.h"

namespace perdure {
namespace {

using namespace by_hand;

constexpr std::uint64_t before = 1;
constexpr std::uint64_t after = 2;

class EarlyReuse : public SoleThreadTest {
 protected:
  /// A block that a record writes to, and that waits.
  std::uint64_t* freed_block() {
    std::uint64_t* block = nullptr;
    transact([&] {
      block = allocate_words(block_words);
      perdure_memset(block, 0, block_words * sizeof(std::uint64_t));
    });
    transact([&] {
      for (std::size_t i = 0; i < block_words; ++i) write(block[i], before);
    });
    transact([&] { entry::transactional_free(block); });
    return block;
  }

  static std::uint64_t* allocate() { return allocate_words(block_words); }

  /// What a crash leaves.
  static void replay() {
    if (instance.facts.records) recover::replay_logs(*alloc::current_heap());
  }

  /// Who is alone runs a transaction that is given `block`, and does `work(block)`; then comes a crash.
  template <class Work>
  void reuse(const std::uint64_t* block, Work work) {
    transact([&] {
      std::uint64_t* const reused = allocate();
      EXPECT_EQ(reused, block);
      work(reused);
    });
    replay();
  }

  static constexpr std::size_t block_words = 7;  // a size that nothing else here has
};

TEST_F(EarlyReuse, IsHandedOutAtOnce) {
  become_sole();
  std::uint64_t* const block = freed_block();
  transact([&] { EXPECT_EQ(allocate(), block); });
}

TEST_F(EarlyReuse, NotWhileSomebodyRunsWhoCouldReadIt) {
  if (!instance.facts.records) return;  // commits wait for whoever runs, or blocks for whoever has run
  std::atomic<bool> runs{false};
  std::atomic<bool> may_end{false};
  std::thread other([&] {
    transact([&] {
      read(shared_[3]);
      runs = true;
      while (!may_end) std::this_thread::yield();
    });
  });
  while (!runs) std::this_thread::yield();
  const std::uint64_t* const block = freed_block();
  for (int i = 0; i < 3; ++i) transact([&] { EXPECT_NE(allocate(), block); });
  may_end = true;
  other.join();
  bool is_reused = false;  // it does not look each time whether others run
  for (int i = 0; i < 1000 && !is_reused; ++i) transact([&] { is_reused = allocate() == block; });
  EXPECT_TRUE(is_reused);
}

TEST_F(EarlyReuse, HoldsWhatWasWrittenThereLast) {
  become_sole();
  const std::uint64_t* const block = freed_block();
  reuse(block, [&](std::uint64_t* reused) {
    write(reused[0], after);
    reused[1] = after;  // as code does that is not instrumented
    write(allocate()[0], after);
    write(reused[2], after);  // it is not the last one any more: by way of the log
    write(shared_[1], 1);
  });
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(block[i], after);
}

TEST_F(EarlyReuse, PartsOfWordsAreKept) {
  become_sole();
  const std::uint64_t* const block = freed_block();
  reuse(block, [](std::uint64_t* reused) {
    reused[3] = 0x1111111111111111;
    allocate();
    perdure_write_u8(reinterpret_cast<std::uint8_t*>(reused + 3) + 2, 0x22);
  });
  EXPECT_EQ(block[3], 0x1111111111221111U);
}

TEST_F(EarlyReuse, WithNothingElseWritten) {
  become_sole();
  const std::uint64_t* const block = freed_block();
  reuse(block, [](std::uint64_t* reused) { write(reused[0], after); });
  EXPECT_EQ(block[0], after);
}

TEST_F(EarlyReuse, WaitsAgainWhenItsTransactionIsRolledBack) {
  become_sole();
  std::uint64_t* const block = freed_block();
  int attempts = 0;
  transact([&] {
    EXPECT_EQ(allocate(), block);
    if (++attempts == 1) force_abort();
  });
  EXPECT_EQ(attempts, 2);
  transact([&] { entry::transactional_free(block); });
  try {
    transact([&] {
      EXPECT_EQ(allocate(), block);
      throw std::runtime_error("changed its mind");
    });
    FAIL() << "the exception is lost";
  } catch (const std::runtime_error&) {
  }
  transact([&] { EXPECT_EQ(allocate(), block); });
}

TEST_F(EarlyReuse, IsLoggedAfterARollBack) {
  become_sole();
  const std::uint64_t* const block = freed_block();
  EXPECT_THROW(transact([&] {
                 EXPECT_EQ(allocate(), block);
                 throw std::runtime_error("changed its mind");
               }),
               std::runtime_error);
  reuse(block, [](std::uint64_t* reused) { write(reused[0], after); });
  EXPECT_EQ(block[0], after);
}

TEST_F(EarlyReuse, MayBeFreedAgain) {
  become_sole();
  std::uint64_t* const block = freed_block();
  for (std::uint64_t i = 0; i < 100; ++i)
    transact([&] {
      EXPECT_EQ(allocate(), block);
      write(block[i % block_words], i);
      entry::transactional_free(block);
    });
}

TEST_F(EarlyReuse, ItsTransactionBecomesSerial) {
  become_sole();
  const std::uint64_t* const block = freed_block();
  reuse(block, [](std::uint64_t* reused) {
    write(reused[0], after);
    perdure_become_serial();
    EXPECT_EQ(reused[0], after);
    write(reused[1], after);
    reused[2] = after;
  });
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(block[i], after);
}

TEST_F(EarlyReuse, ASerialTransactionThatIsRolledBack) {
  become_sole();
  const std::uint64_t* const block = freed_block();
  EXPECT_THROW(transact([&] {
                 std::uint64_t* const reused = allocate();
                 write(reused[0], after);
                 perdure_become_serial();
                 write(reused[1], after);
                 throw std::runtime_error("changed its mind");
               }),
               std::runtime_error);
  replay();
  become_sole();
  reuse(block, [](std::uint64_t* reused) { write(reused[0], after); });
  EXPECT_EQ(block[0], after);
}

TEST_F(EarlyReuse, InAPartThatIsUndone) {
  become_sole();
  const std::uint64_t* const block = freed_block();
  reuse(block, [&](std::uint64_t* reused) {
    write(reused[0], after);
    const auto part = [](void* closure) {
      auto* const words = static_cast<std::uint64_t*>(closure);
      write(words[0], 0);
      allocate();
      return 7;
    };
    EXPECT_EQ(perdure_nested(part, reused), 7);
    EXPECT_EQ(read(reused[0]), after);
    write(shared_[2], 1);
  });
  EXPECT_EQ(block[0], after);
}

TEST_F(EarlyReuse, WhileAnotherThreadComes) {
  become_sole();
  freed_block();
  int attempts = 0;
  std::uint64_t* allocated = nullptr;
  transact([&] {
    allocated = allocate();
    write(allocated[0], after);
    if (++attempts == 1) is_joined_by([&] { transact([&] { read(shared_[0]); }); });
    write(shared_[1], 1);
  });
  other_ends();
  EXPECT_EQ(attempts, 2) << "it was not alone any more";
  replay();
  EXPECT_EQ(allocated[0], after);
}

TEST_F(EarlyReuse, InAnotherPool) {
  become_sole();
  const std::uint64_t* const block = freed_block();
  {
    const TemporaryPool another;
    const PoolScope scope(another.pool());
    transact([&] { EXPECT_NE(allocate(), block); });
  }
  transact([&] { EXPECT_EQ(allocate(), block); });
}

}  // namespace
}  // namespace perdure
