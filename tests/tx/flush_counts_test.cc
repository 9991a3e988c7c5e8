// How many flushes and fences a transaction costs, exactly (PACT'19, end of section III.A, and the switches of section
// IV).
#include <string>

#include "by_hand.h"
#include "persist/instance.h"

namespace perdure {
namespace {

using namespace by_hand;

class FlushCounts : public PoolTest {
 protected:
  template <class Body>
  Statistics count(Body&& body) {
    transact(body);  // the thread's log exists from here on
    reset_statistics();
    transact(body);
    return statistics();
  }
};

/// Words that are `stride` words apart: 8 gives each a line of its own.
void write_words(std::uint64_t* words, std::size_t count, std::size_t stride) {
  for (std::size_t i = 0; i < count; ++i) write(words[i * stride], i + 1);
}

TEST_F(FlushCounts, WritingTransactionInNaiveModeIsTwoFlushesAWordAndTwo) {
  if (!mode_is("naive")) GTEST_SKIP() << "the formula is that of naive";
  for (const std::size_t count : {1, 2, 3, 8, 100, 1000}) {
    auto* const shared = words(count * 8);
    const Statistics counted = this->count([&] { write_words(shared, count, 8); });
    EXPECT_EQ(counted.flushes, 2 * count + 2) << count << " words";
    EXPECT_EQ(counted.fences, 4U) << count << " words";
  }
}

TEST_F(FlushCounts, DeferredFlushingKeepsTheFourFences) {
  if (mode_is("naive")) GTEST_SKIP();
  for (const std::size_t count : {1, 2, 8, 100}) {
    auto* const shared = words(count * 8);
    const Statistics counted = this->count([&] { write_words(shared, count, 8); });
    const std::size_t entry_bytes = mode_is("ip") ? 8 + instance.granularity : 32;
    const std::size_t log_lines = (count * entry_bytes + 63) / 64;
    EXPECT_EQ(counted.fences, 4U) << count << " words";
    EXPECT_EQ(counted.flushes, count + log_lines + 2) << count << " words: data, log, and the status twice";
  }
}

TEST_F(FlushCounts, CoarseLoggingFlushesAChunkOnce) {
  if (!mode_is("ip")) GTEST_SKIP() << "only the ideal mode logs chunks";
  auto* const shared = words(8);
  const Statistics counted = this->count([&] { write_words(shared, 4, 1); });  // one 32-byte chunk
  EXPECT_EQ(counted.flushes, 4U);                                              // log line, status, data, status
}

TEST_F(FlushCounts, ReadOnlyTransactionCostsNothing) {
  auto* const shared = words(64);
  const Statistics counted = this->count([&] {
    for (int i = 0; i < 64; ++i) read(shared[i]);
  });
  EXPECT_EQ(counted.flushes, 0U);
  EXPECT_EQ(counted.fences, 0U);
  EXPECT_EQ(counted.read_only_commits, 1U);
}

TEST_F(FlushCounts, TransactionThatOnlyFillsItsOwnBlockFlushesItOnce) {
  if (mode_is("naive")) GTEST_SKIP() << "naive does not track allocations";
  const Statistics counted = this->count([&] {
    auto* const block = allocate_words(32);  // 256 bytes, aligned to at least 32
    write_words(block, 32, 1);
  });
  EXPECT_GE(counted.flushes, 4U);
  EXPECT_LE(counted.flushes, 5U) << "from the block's first line to its last";
  EXPECT_EQ(counted.fences, 1U);
}

TEST_F(FlushCounts, AbortedAttemptsFlushNothing) {
  auto* const shared = words(8);
  int attempts = 0;
  const Statistics counted = this->count([&] {
    write(shared[0], 1);
    if (++attempts % 2 == 1) force_abort();
  });
  EXPECT_EQ(counted.fences, 4U);
  EXPECT_EQ(counted.aborts_validation, 1U);
}

}  // namespace
}  // namespace perdure
