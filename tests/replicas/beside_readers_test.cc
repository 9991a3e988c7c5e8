// Of more than two copies, updates go on beside transactions that read and are stopped.
#include <atomic>
#include <csignal>
#include <memory>
#include <random>
#include <vector>

#include "perdure/statistics.h"
#include "persist/instance.h"
#include "reader.h"
#include "replicated_pool.h"

namespace perdure {
namespace {

class BesideReaders : public ReplicatedPoolTest {
 protected:
  /// Two words change together.
  static void set_both(Words& words, long value) {
    TM_BEGIN { words.first->value = words.second->value = value; } TM_END;
  }
  /// A reader that is stopped between the two.
  static std::unique_ptr<Reader> stop_a_reader(Words& words, std::atomic<int>& torn) {
    return std::make_unique<Reader>(words, [&torn](Words& both, long seen) {
      if (both.second->value != seen) count(torn);
    });
  }
  PERDURE_PURE static void count(std::atomic<int>& number) { ++number; }
};

TEST_P(BesideReaders, UpdatesGoOnWhileReadersAreStopped) {
  Pool pool = Pool::open(path(), {.copies = 3 + GetParam()});
  Words& words = words_of(pool);
  std::atomic<int> torn{0};
  long value = 0;
  set_both(words, ++value);
  std::vector<std::unique_ptr<Reader>> stopped;
  const std::uint64_t waits = statistics().quiescence_waits;
  for (log::Copy i = 0; i < GetParam(); ++i) {
    stopped.push_back(stop_a_reader(words, torn));
    for (int update = 0; update < 100; ++update) set_both(words, ++value);
    EXPECT_EQ(words.first->value, value) << "plain code looks at the pool itself";
  }
  EXPECT_EQ(statistics().quiescence_waits, waits) << "nobody has waited";
  for (const auto& reader : stopped) EXPECT_EQ(reader->attempts(), 1);
  stopped.clear();
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(get(words.second->value), value);
}

TEST_P(BesideReaders, BlocksAreReusedWhileAReaderIsStopped) {
  if (!instance.facts.helps) return;  // with two copies updates wait for readers; with more, blocks do
  constexpr std::size_t block_bytes = 4096;
  constexpr std::size_t most_bytes = std::size_t{64} << 20;
  Pool pool = Pool::open(path(), {.size_limit = most_bytes, .copies = 3 + GetParam()});
  Words& words = words_of(pool);
  std::atomic<int> torn{0};
  const auto replace = [&](long number) {
    TM_BEGIN {
      ::operator delete(words.filling);
      words.filling = ::operator new(block_bytes);
      *static_cast<long*>(words.filling) = number;
    } TM_END;
  };
  constexpr long first = 1;
  set_both(words, first);
  replace(first);
  Reader reader(words, [&torn](Words& all, long seen) {
    if (*static_cast<const long*>(all.filling) != seen) count(torn);
  });
  for (std::size_t bytes = 0; bytes < 2 * most_bytes; bytes += block_bytes) replace(first + 1);
  EXPECT_EQ(reader.attempts(), 1);
  reader.go_on();
  reader.wait();
  EXPECT_EQ(torn, 0) << "its block is another one's by now, but not in the copy that it reads";
}

/// Words in several superblocks, each in a line of its own.
struct Table {
  static constexpr std::size_t superblocks = 4;
  static constexpr std::size_t words_in_each = 1024;
  static constexpr std::size_t size = superblocks * words_in_each;
  struct Block {
    long words[2 * pool::superblock_bytes / sizeof(long)] = {};
  };
  Block* blocks[superblocks] = {new Block, new Block, new Block, new Block};

  long& at(std::size_t i) { return blocks[i % superblocks]->words[i / superblocks % words_in_each * 8]; }
};

/// What happens while one more reader is stopped, after the one that it takes the place of has gone on.
struct Round {
  std::size_t reader;
  std::size_t words;                     // that each update writes
  std::vector<std::size_t> first_words;  // of each
  bool ends_with_roll_back;
};

std::vector<Round> rounds_for(std::size_t readers) {
  constexpr std::size_t count = 40;
  std::minstd_rand random(static_cast<unsigned>(readers));
  std::vector<Round> rounds(count);
  for (std::size_t i = 0; i < count; ++i) {
    // Not far behind; or beyond what is remembered.
    const bool is_long = i % 4 == 0;
    rounds[i] = {random() % readers, is_long ? 500U : 10U, std::vector<std::size_t>(is_long ? 100 : random() % 5),
                 i % 5 == 0};
    for (std::size_t& first : rounds[i].first_words) first = random() % Table::size;
  }
  return rounds;
}

void fail_to_change(Table& table) {
  TM_BEGIN {
    for (std::size_t i = 0; i < 20; ++i) table.at(i) = -1;
    throw 0;
  } TM_END;
}

template <class Write>
void for_each_update(const Round& round, Write&& write) {
  for (const std::size_t first : round.first_words) write(first * 7, round.words);
}

// By turns one copy and another is held by a reader, and much is written meanwhile: so those that come next lag behind
// by a little, or by so much that they are copied whole.
TEST_P(BesideReaders, WhicheverCopyIsTakenHasEverything) {
  const std::vector<Round> rounds = rounds_for(GetParam() - 1);
  const int status = testing::in_child([&] {
    Pool pool = Pool::open(path(), {.copies = 2 + GetParam()});
    Words& words = words_of(pool);
    auto& table = pool.root<Table>("table");
    std::atomic<int> torn{0};
    std::vector<std::unique_ptr<Reader>> stopped(GetParam() - 1);
    long value = 0;
    for (const Round& round : rounds) {
      stopped[round.reader].reset();
      stopped[round.reader] = stop_a_reader(words, torn);
      for_each_update(round, [&](std::size_t first, std::size_t count) {
        ++value;
        TM_BEGIN {
          words.first->value = words.second->value = value;
          for (std::size_t i = first; i < first + count; ++i) table.at(i) = value;
        } TM_END;
      });
      if (round.ends_with_roll_back) EXPECT_THROW(fail_to_change(table), int);
    }
    stopped.clear();
    if (torn != 0 || HasFailure()) _exit(1);
    raise(SIGKILL);
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  std::vector<long> expected(Table::size);
  long value = 0;
  for (const Round& round : rounds)
    for_each_update(round, [&](std::size_t first, std::size_t count) {
      ++value;
      for (std::size_t i = first; i < first + count; ++i) expected[i % Table::size] = value;
    });
  Pool pool = Pool::open(path());
  EXPECT_EQ(pool.report().state, OpenReport::State::recovered);
  EXPECT_EQ(get(words_of(pool).first->value), value);
  auto& table = pool.root<Table>("table");
  for (std::size_t i = 0; i < Table::size; ++i) ASSERT_EQ(table.at(i), expected[i]) << "word " << i;
}

INSTANTIATE_TEST_SUITE_P(Readers, BesideReaders, ::testing::Values(2, 3, 6), ::testing::PrintToStringParamName());

}  // namespace
}  // namespace perdure
