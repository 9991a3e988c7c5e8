// Operations that are put in order before anybody runs them (tx/queueing.h): all who run one come to the same end.
#include <cstdlib>
#include <cstring>
#include <set>
#include <string_view>
#include <thread>
#include <vector>

#include "log/queued_operation.h"
#include "perdure/statistics.h"
#include "persist/instance.h"
#include "replicated_pool.h"

namespace perdure {
namespace {

TEST(AgreedWords, AreWhatTheFirstOneSays) {
  log::AgreedWords words;
  EXPECT_EQ(words.find(0), 0U);
  EXPECT_EQ(words.find(100), 0U);
  EXPECT_EQ(words.agree(100, 7), 7U);
  EXPECT_EQ(words.agree(100, 8), 7U);
  EXPECT_EQ(words.agree(0, 9), 9U);
  EXPECT_EQ(words.find(100), 7U);
  EXPECT_EQ(words.find(99), 0U);
  std::multiset<std::uint64_t> all;
  words.for_each([&](std::uint64_t word) { all.insert(word); });
  EXPECT_EQ(all, (std::multiset<std::uint64_t>{7, 9}));
  words.release();
  EXPECT_EQ(words.find(100), 0U);
}

struct Journal {
  long entries = 0;
  char* text = nullptr;
  long bytes = 0;
};

class Queueing : public ReplicatedPoolTest {
 protected:
  static constexpr unsigned threads = 4;
  static constexpr long rounds = 3000;

  template <class Function>
  static void run_in_threads(Function function) {
    std::vector<std::thread> running;
    for (unsigned thread = 0; thread < threads; ++thread) running.emplace_back([&, thread] { function(thread); });
    for (std::thread& each : running) each.join();
  }
};

// The copies of the pool differ in what each thread finds there when it runs the operation.
TEST_P(Queueing, MemoryOutsideOfThePoolIsItsOwners) {
  Pool pool = Pool::open(path());
  Journal& journal = pool.root<Journal>("journal");
  std::vector<long> seen(threads, 0);
  reset_statistics();
  run_in_threads([&](unsigned thread) {
    long* const own = &seen[thread];
    for (long round = 0; round < rounds; ++round) {
      TM_BEGIN {
        ++journal.entries;
        journal.bytes += ++*own;
      } TM_END;
    }
  });
  long sum = 0;
  for (const long each : seen) EXPECT_EQ(each, rounds);
  for (long round = 1; round <= rounds; ++round) sum += threads * round;
  EXPECT_EQ(statistics().commits, threads * rounds);
  EXPECT_EQ(journal.entries, threads * rounds);
  EXPECT_EQ(journal.bytes, sum);
}

// When a lagging copy makes it again, blocks may have become others, of other sizes.
TEST_P(Queueing, BlocksThatGrowHaveOneSizeForAll) {
  Pool pool = Pool::open(path());
  Journal& journal = pool.root<Journal>("journal");
  run_in_threads([&](unsigned thread) {
    const char letter = static_cast<char>('a' + thread);
    for (long round = 0; round < rounds; ++round) {
      TM_BEGIN {
        if (journal.bytes == 200) {
          std::free(journal.text);
          journal.text = nullptr;
          journal.bytes = 0;
        }
        void* const larger = std::realloc(journal.text, static_cast<std::size_t>(journal.bytes) + 1);
        journal.text = static_cast<char*>(larger);
        journal.text[journal.bytes++] = letter;
        ++journal.entries;
      } TM_END;
    }
  });
  EXPECT_EQ(journal.entries, threads * rounds);
  EXPECT_EQ(journal.bytes, (threads * rounds - 1) % 200 + 1);
  for (long i = 0; i < journal.bytes; ++i) {
    EXPECT_GE(journal.text[i], 'a');
    EXPECT_LT(journal.text[i], static_cast<char>('a' + threads));
  }
}

// A batch is of one pool.
TEST_P(Queueing, OperationsOfSeveralPoolsGoOn) {
  Pool pool = Pool::open(path());
  Pool other = Pool::open(in_directory("other.pool"));
  Journal* const journals[] = {&pool.root<Journal>("journal"), &other.root<Journal>("journal")};
  run_in_threads([&](unsigned thread) {
    for (long round = 0; round < rounds; ++round) {
      Journal& journal = *journals[(thread + static_cast<unsigned>(round) / 100) % 2];
      TM_BEGIN {
        ++journal.entries;
        ++journal.bytes;
      } TM_END;
    }
  });
  EXPECT_EQ(journals[0]->entries + journals[1]->entries, threads * rounds);
  EXPECT_EQ(journals[0]->bytes, journals[0]->entries);
}

// Two fences an update, by whoever it is made; and in `puc` all lines of superblocks that transactions write to.
TEST_P(Queueing, AnUpdateFlushesWhatTheModeSays) {
  Pool pool = Pool::open(path());
  Journal& journal = pool.root<Journal>("journal");
  constexpr std::uint64_t updates = 100;
  const auto update = [&] { TM_BEGIN { ++journal.entries; } TM_END; };
  for (int before = 0; before < 10; ++before) update();
  reset_statistics();
  for (std::uint64_t number = 0; number < updates; ++number) update();
  const Statistics counted = statistics();
  constexpr std::uint64_t lines = pool::superblock_bytes / 64;
  EXPECT_EQ(counted.commits, updates);
  EXPECT_EQ(counted.fences, 2 * updates);
  if (std::string_view(instance.facts.mode) == "puc")
    EXPECT_GE(counted.flushes, updates * lines);
  else
    EXPECT_LE(counted.flushes, updates * 3);
}

// One that a thread knows to write to a pool comes to another one that has taken its place.
TEST_P(Queueing, APoolThatIsOpenedAgainHasNoCopiesYet) {
  for (long times = 1; times <= 3; ++times) {
    Pool pool = Pool::open(path());
    Journal& journal = pool.root<Journal>("journal");
    for (long round = 0; round < 10; ++round) {
      TM_BEGIN { ++journal.entries; } TM_END;
    }
    EXPECT_EQ(journal.entries, 10 * times);
  }
}

INSTANTIATE_TEST_SUITE_P(Copies, Queueing, ::testing::Values(log::Copy{3}, log::Copy{5}),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace perdure
