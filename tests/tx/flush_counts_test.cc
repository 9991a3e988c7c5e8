// How many flushes and fences a transaction costs, exactly (PACT'19, end of section III.A, and the switches of section
// IV).
#include <algorithm>
#include <string>

#include "by_hand.h"
#include "persist/domain.h"
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

bool tracks_allocations() { return instance.optimisations.last_allocation_tracking; }
bool pipelines_fences() { return algorithm_is("tlrw") && instance.optimisations.fence_pipelining; }
bool coalesces_flushes() { return instance.optimisations.coalesced_flushes; }

/// Commits by a record of its own; the data is flushed by later transactions, which are counted apart.
bool has_records() { return instance.facts.records; }

bool logs_chunks() { return !has_records() && instance.granularity > sizeof(std::uint64_t); }

std::uint64_t flushes_of_commits(const Statistics& counted) { return counted.flushes - counted.retired_lines; }

/// Lines of a record of `words` words in chunks of their own: two words of head, and for each an address.
std::size_t record_lines(std::size_t words) { return ((2 + 2 * words) * 8 + 63) / 64; }

/// Persistence fences for a transaction that writes W chunks.
std::size_t expected_fences(std::size_t chunks) {
  if (has_records()) return 1;
  if (has_replicas()) return 2;  // EuroSys'20, Table 1
  if (!is_eager()) return 4;
  const std::size_t activation =
      instance.optimisations.combined_activation ? 0 : 1;          // combined with the first old value's
  const std::size_t old_values = pipelines_fences() ? 1 : chunks;  // pipelining leaves the last
  return activation + old_values + 2;
}

/// The same for a transaction that writes one chunk in each of two pools.
std::size_t expected_fences_over_two_pools() {
  constexpr std::size_t phases = 4;
  if (has_records()) return phases;
  if (!is_eager()) return phases + 2;  // data, and records retired together
  const std::size_t one_pool = expected_fences(1) - 2;
  return phases + (pipelines_fences() ? 2 * one_pool - 1 : 2 * one_pool);
}

/// Flushes for a transaction that writes W words in lines of their own.
std::size_t expected_flushes(std::size_t count) {
  if (has_records()) return record_lines(count);
  if (has_replicas()) return count + 1;  // and the word that says which copy counts
  // An undo entry is flushed before the next one is written; so is one of a redo log in the published mode, if it lies
  // in one line. Otherwise a redo log is flushed a line at a time.
  const bool by_entry = is_eager() || (!coalesces_flushes() && !logs_chunks());
  const std::size_t lines_of_entry = is_eager() && instance.granularity == persistence::line_bytes ? 2 : 1;
  const std::size_t entry_bytes = logs_chunks() ? 16 : 32;  // an address and the word; a word with its mask
  const std::size_t log = by_entry ? count * lines_of_entry : (count * entry_bytes + 63) / 64;
  return count + log + 2;  // data, log, and the status twice
}

/// Of a transaction that writes to nothing but blocks that it has allocated.
/// For a block of four lines. A superblock that has replicas from its beginning is flushed in each that counts: so the
/// block before is, too.
std::size_t most_flushes_for_block() {
  if (instance.facts.helps) return 10;
  return has_replicas() ? 6 : 5;
}
std::size_t fences_for_blocks() { return has_replicas() ? 2 : 1; }

TEST_F(FlushCounts, WritingTransaction) {
  for (const std::size_t count : {1, 2, 3, 8, 100, 500}) {
    auto* const shared = words(count * 8);
    const Statistics counted = this->count([&] { write_words(shared, count, 8); });
    EXPECT_EQ(flushes_of_commits(counted), expected_flushes(count)) << count << " words";
    EXPECT_EQ(counted.fences, expected_fences(count)) << count << " words";
    if (mode_is("naive")) {
      EXPECT_EQ(counted.flushes, 2 * count + 2) << "the formula of PACT'19, section III.A";
      EXPECT_EQ(counted.fences, is_eager() ? count + 3 : 4) << "the formula of PACT'19, section III.A";
    }
  }
}

TEST_F(FlushCounts, CoarseLoggingFlushesAChunkOnce) {
  if (!logs_chunks() || instance.granularity != 32) GTEST_SKIP() << "this mode logs something else";
  auto* const shared = words(8);
  const Statistics counted = this->count([&] { write_words(shared, 4, 1); });  // one 32-byte chunk
  EXPECT_EQ(counted.flushes, 4U);                                              // log line, status, data, status
  EXPECT_EQ(counted.fences, expected_fences(1));
}

TEST_F(FlushCounts, WordsOfALineAreFlushedOnce) {
  if (!coalesces_flushes()) GTEST_SKIP() << "naive flushes at every write";
  auto* const shared = words(8);
  const Statistics counted = this->count([&] {
    for (int i = 0; i < 10; ++i) write_words(shared, 8, 1);
  });
  const std::size_t log = is_eager() ? 8 : 5;  // lines, at most: words, or chunks of any size
  EXPECT_LE(counted.flushes, 2U + log + 1U) << "status twice, log, one line of data";
}

TEST_F(FlushCounts, ThreeWordsFitIntoOneLineOfRecord) {
  if (!has_records()) GTEST_SKIP() << "this mode has no records";
  EXPECT_EQ(record_lines(3), 1U);
  auto* const shared = words(8);
  const Statistics chunk = this->count([&] { write_words(shared, 4, 1); });  // four words behind one address
  EXPECT_EQ(flushes_of_commits(chunk), 1U);
  EXPECT_EQ(chunk.fences, 1U);
}

TEST_F(FlushCounts, RetirementNeedsNoFencesAndFlushesALineOnceABatch) {
  if (!has_records()) GTEST_SKIP() << "this mode has no records";
  constexpr std::size_t transactions = 100'000;
  auto* const shared = words(24);
  const auto run = [&] {
    for (std::size_t i = 0; i < transactions; ++i) transact([&] { write_words(shared, 3, 8); });
  };
  run();  // the log has all its segments from here on
  reset_statistics();
  run();
  const Statistics counted = statistics();
  EXPECT_EQ(counted.fences, transactions);
  EXPECT_EQ(flushes_of_commits(counted), transactions);
  EXPECT_GT(counted.retired_lines, 0U) << "nothing was retired";
  EXPECT_LE(counted.retired_lines, transactions / 10);
}

TEST_F(FlushCounts, ClosingFlushesALineOnce) {
  if (!has_records()) GTEST_SKIP() << "this mode has no records";
  auto* const shared = words(24);
  reopen({});
  for (int i = 0; i < 50; ++i) transact([&] { write_words(shared, 3, 8); });  // less than a batch
  reset_statistics();
  reopen({});
  EXPECT_EQ(statistics().retired_lines, 3U);
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
  if (!tracks_allocations()) GTEST_SKIP() << "naive does not track allocations";
  const Statistics counted = this->count([&] {
    auto* const block = allocate_words(32);  // 256 bytes, aligned to at least 32
    write_words(block, 32, 1);
  });
  EXPECT_GE(counted.flushes, 4U);
  EXPECT_LE(counted.flushes, most_flushes_for_block()) << "from the block's first line to its last";
  EXPECT_EQ(counted.fences, fences_for_blocks());
}

// docs/algorithms.md, "Transactions over several pools": four fences until all logs count by themselves, then what each
// way to make a commit durable takes to be done with them.
TEST_F(FlushCounts, OverTwoPools) {
  if (has_replicas()) GTEST_SKIP() << "makes one pool durable at a time";
  auto* const here = words(1);
  const TemporaryPool other;
  const PoolScope scope(other.pool());
  auto* const there = words(1);
  const Statistics counted = this->count([&] {
    write(here[0], std::uint64_t{1});
    write(there[0], std::uint64_t{2});
  });
  EXPECT_EQ(counted.fences, expected_fences_over_two_pools());
}

// As the plugin does where nobody else can reach the block (docs/abi.md): the writes are seen by nobody, the block is
// told of once.
TEST_F(FlushCounts, DirectlyWrittenBlockIsFlushedInEveryMode) {
  const Statistics counted = this->count([&] {
    auto* const block = allocate_words(32);
    perdure_written_directly(block);
    perdure_written_directly(nullptr);
    for (std::uint64_t i = 0; i < 32; ++i) block[i] = i;
  });
  EXPECT_GE(counted.flushes, 4U);
  EXPECT_LE(counted.flushes, most_flushes_for_block()) << "from the block's first line to its last";
  EXPECT_EQ(counted.fences, fences_for_blocks());
  EXPECT_EQ(counted.commits, 1U);
}

// Small blocks that are allocated one after the other lie next to each other, several in a line.
TEST_F(FlushCounts, LineThatBlocksShareIsFlushedOnce) {
  constexpr std::size_t count = 64;
  const std::size_t block_bytes = std::max<std::size_t>(instance.granularity, 32);
  const Statistics counted = this->count([&] {
    for (std::size_t i = 0; i < count; ++i) {
      auto* const block = allocate_words(1);
      perdure_written_directly(block);
      *block = i;
    }
  });
  constexpr std::size_t not_adjacent = 4;  // where what the thread keeps at hand begins and ends
  const std::size_t lines = count * block_bytes / persistence::line_bytes;
  EXPECT_LE(counted.flushes, (instance.facts.helps ? 2 * lines : lines) + not_adjacent);
  EXPECT_EQ(counted.fences, fences_for_blocks());
}

// What one copy lacks is flushed once, however often it was written before.
TEST_F(FlushCounts, TwoFencesHoweverManyUpdatesCameBefore) {
  if (!has_replicas()) GTEST_SKIP() << "there is one copy of memory";
  constexpr std::size_t updates = 1000;
  auto* const shared = words(64 * 8);
  transact([&] { write_words(shared, 64, 8); });
  reset_statistics();
  for (std::size_t i = 0; i < updates; ++i) transact([&] { write(shared[i % 64 * 8], i); });
  const Statistics counted = statistics();
  EXPECT_EQ(counted.fences, 2 * updates);
  EXPECT_LE(counted.flushes, 3 * updates + 64) << "the line, the line of the update before, and the word";
}

// Lines that were changed and put back are flushed by and by, not all by the commit that comes at last.
TEST_F(FlushCounts, RollBacksLeaveNoEndOfFlushes) {
  if (!has_replicas()) GTEST_SKIP() << "there is one copy of memory";
  constexpr std::size_t lines = 1024;
  constexpr std::size_t roll_backs = 40'000;
  auto* const shared = words(lines * 8);
  for (std::size_t i = 0; i < roll_backs; ++i) {
    auto fail = [&] {
      write(shared[i % lines * 8], i);
      throw i;
    };
    EXPECT_THROW(transact(fail), std::size_t);
  }
  reset_statistics();
  transact([&] { write(shared[0], 1); });
  EXPECT_LE(statistics().flushes, roll_backs / 2);
}

TEST_F(FlushCounts, AbortedAttempts) {
  auto* const shared = words(8);
  int attempts = 0;
  const Statistics counted = this->count([&] {
    write(shared[0], 1);
    if (++attempts % 2 == 1) force_abort();
  });
  EXPECT_EQ(counted.aborts_validation, 1U);
  if (!is_eager()) {
    EXPECT_EQ(counted.fences, expected_fences(1)) << "nothing reaches the log before the commit";
  } else if (pipelines_fences()) {
    EXPECT_EQ(counted.fences, 2 * expected_fences(1) - 1) << "the only store was put off, and never made";
  } else {
    EXPECT_EQ(counted.fences, 2 * expected_fences(1)) << "memory and the end of the record, like a commit";
  }
}

}  // namespace
}  // namespace perdure
