// Functions whose results are kept: how often they are called, by threads, runs and versions.
#include "perdure/memo.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../pool/pool_test.h"
#include "perdure/perdure.h"
#include "sched/waiters.h"

namespace perdure {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Squares = memo<long(int)>;
using Texts = memo<std::string(std::string)>;

const std::string long_text = "a text that is too long to lie in the string itself, ";

/// Where a test waits for so many threads to wait.
void wait_for_waiters() {
  const auto deadline = Clock::now() + 30s;
  while (!sched::waiters.are_there() && Clock::now() < deadline) std::this_thread::sleep_for(1ms);
  ASSERT_TRUE(sched::waiters.are_there());
}

class MemoTest : public testing::PoolTest {
 protected:
  auto square() {
    return [this](int number) {
      ++calls_;
      return static_cast<long>(number) * number;
    };
  }

  /// The next run of the program.
  void reopen() {
    pool_.close();
    pool_ = Pool::open(path());
  }
  /// Whether the next run finds what this one leaves.
  static bool is_durable() { return library_is_durable(); }

  Pool pool_ = Pool::open(path());
  std::atomic<int> calls_{0};
};

TEST_F(MemoTest, WhatWasEvaluatedIsNotEvaluatedAgain) {
  Squares squares(pool_, "squares", square());
  for (int round = 0; round < 3; ++round)
    for (int number = 0; number < 100; ++number) ASSERT_EQ(squares(number), number * number);
  EXPECT_EQ(calls_, 100);
  const MemoStatistics statistics = squares.statistics();
  EXPECT_EQ(statistics.entries, 100U);
  EXPECT_EQ(statistics.stored, 100U);
  EXPECT_EQ(statistics.evaluations, 100U);
  EXPECT_EQ(statistics.hits, 200U);
  EXPECT_EQ(statistics.failures + statistics.waits + statistics.evicted, 0U);
}

TEST_F(MemoTest, NorInTheNextRun) {
  if (!is_durable()) return;
  for (int run = 0; run < 3; ++run) {
    {
      Squares squares(pool_, "squares", square());
      for (int number = 0; number < 50; ++number) ASSERT_EQ(squares(number), number * number);
      EXPECT_EQ(squares.statistics().stored, 50U);
    }
    reopen();
  }
  EXPECT_EQ(calls_, 50);
}

/// Whichever pool is the thread's, results lie in that of the table.
TEST_F(MemoTest, SeveralPools) {
  if (!is_durable()) return;
  const auto other_path = in_directory("b.pool");
  const auto repeat = [this](const std::string& text) {
    ++calls_;
    return text + text;
  };
  {
    Pool other = Pool::open(other_path);
    Texts texts(other, "texts", repeat);
    for (int i = 0; i < 100; ++i) texts(long_text + std::to_string(i));
  }
  pool_.close();
  Pool other = Pool::open(other_path);
  Texts texts(other, "texts", repeat);
  for (int i = 0; i < 100; ++i) {
    const std::string argument = long_text + std::to_string(i);
    ASSERT_EQ(texts(argument), argument + argument);
  }
  EXPECT_EQ(calls_, 100);
}

TEST_F(MemoTest, ArgumentsAndResultsThatOwnMemory) {
  const auto twice = [this](const std::string& text) {
    ++calls_;
    return text + text;
  };
  std::vector<std::string> results;
  {
    Texts texts(pool_, "texts", twice);
    for (int round = 0; round < 2; ++round)
      for (int i = 0; i < 40; ++i) results.push_back(texts(long_text + std::to_string(i)));
    EXPECT_EQ(texts(""), "");
  }
  EXPECT_EQ(calls_, 41);
  pool_.close();  // the results do not lie in it
  for (std::size_t i = 0; i < 40; ++i) {
    const std::string argument = long_text + std::to_string(i);
    EXPECT_EQ(results[i], argument + argument);
    EXPECT_EQ(results[40 + i], argument + argument);
  }
}

TEST_F(MemoTest, SeveralArgumentsOrNone) {
  memo<long(int, std::string, bool)> three(pool_, "three", [this](int number, const std::string& text, bool sign) {
    ++calls_;
    return (sign ? -1 : 1) * (number + static_cast<long>(text.size()));
  });
  memo<std::map<int, std::string>()> none(pool_, "none", [this] {
    ++calls_;
    return std::map<int, std::string>{{1, long_text}, {2, ""}};
  });
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(three(1, "ab", false), 3);
    EXPECT_EQ(three(1, "ab", true), -3);
    EXPECT_EQ(three(2, "ab", false), 4);
    EXPECT_EQ(three(1, "abc", false), 4);
    EXPECT_EQ(none().at(1), long_text);
  }
  EXPECT_EQ(calls_, 5);
}

/// The paper's: the function needs results of itself.
TEST_F(MemoTest, FunctionsThatAskTheMemo) {
  const auto fibonacci = [this](auto& self, int number) -> long {
    ++calls_;
    return number < 2 ? number : self(number - 1) + self(number - 2);
  };
  Squares numbers(pool_, "fibonacci", fibonacci);
  EXPECT_EQ(numbers(80), 23416728348467685);
  EXPECT_EQ(calls_, 81);
  EXPECT_EQ(numbers(81), 37889062373143906);
  EXPECT_EQ(calls_, 82);
}

TEST_F(MemoTest, FunctionsThatNeedTheirOwnResult) {
  Squares numbers(pool_, "circle", [](auto& self, int number) -> long { return self((number + 1) % 3) + 1; });
  EXPECT_THROW(numbers(0), Error);
  EXPECT_THROW(numbers(1), Error);
  EXPECT_EQ(numbers.statistics().entries, 0U);
}

// -- threads

TEST_F(MemoTest, ThreadsEvaluateEachResultOnce) {
  constexpr int keys = 200;
  std::array<std::atomic<int>, keys> calls{};
  Texts texts(pool_, "texts", [&](const std::string& text) {
    ++calls[std::stoul(text)];
    return long_text + text;
  });
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread)
      threads.emplace_back([&, thread] {
        for (int i = 0; i < keys; ++i) {
          const std::string key = std::to_string(thread % 2 == 0 ? i : keys - 1 - i);
          EXPECT_EQ(texts(key), long_text + key);
        }
      });
  }
  for (const auto& count : calls) EXPECT_EQ(count, 1);
  EXPECT_EQ(texts.statistics().hits, 3U * keys);
}

TEST_F(MemoTest, OthersWaitForTheOneThatEvaluates) {
  std::atomic<bool> may_go_on{false};
  const auto slow = [&](int number) -> long {
    ++calls_;
    may_go_on.wait(false);
    return number;
  };
  Squares first(pool_, "slow", slow);
  Squares second(pool_, "slow", slow);  // another memo of the same table
  std::jthread thread([&] { EXPECT_EQ(first(5), 5); });
  while (calls_ == 0) std::this_thread::sleep_for(1ms);
  std::jthread waiter([&] { EXPECT_EQ(second(5), 5); });
  wait_for_waiters();
  may_go_on = true;
  may_go_on.notify_all();
  thread.join();
  waiter.join();
  EXPECT_EQ(calls_, 1);
  EXPECT_EQ(second.statistics().waits, 1U);
  EXPECT_EQ(second.statistics().hits, 1U);
  EXPECT_EQ(first.statistics().evaluations, 1U);
}

TEST_F(MemoTest, AnExceptionHasTheNextOneEvaluate) {
  std::atomic<bool> may_go_on{false};
  Squares squares(pool_, "squares", [&](int number) -> long {
    if (++calls_ == 1) {
      may_go_on.wait(false);
      throw std::runtime_error("not this time");
    }
    return number;
  });
  std::jthread thread([&] { EXPECT_THROW(squares(5), std::runtime_error); });
  while (calls_ == 0) std::this_thread::sleep_for(1ms);
  std::jthread waiter([&] { EXPECT_EQ(squares(5), 5); });
  wait_for_waiters();
  may_go_on = true;
  may_go_on.notify_all();
  thread.join();
  waiter.join();
  EXPECT_EQ(squares(5), 5);
  EXPECT_EQ(calls_, 2);
  EXPECT_EQ(squares.statistics().failures, 1U);
  EXPECT_EQ(squares.statistics().evaluations, 1U);
}

TEST_F(MemoTest, TransactionsLookAndWait) {
  Squares squares(pool_, "squares", square());
  EXPECT_EQ(squares.find(7), std::nullopt);
  long seen = 0;
  std::jthread waiter([&] {
    TM_BEGIN {
      const auto found = squares.find(7);
      if (!found.has_value()) TM_RETRY;
      seen = *found;
    } TM_END;
  });
  wait_for_waiters();
  squares(7);
  waiter.join();
  EXPECT_EQ(seen, 49);
  EXPECT_EQ(calls_, 1);
}

/// What is evaluated outside of transactions may use the pool in transactions of its own.
TEST_F(MemoTest, FunctionsMayRunTransactions) {
  long& count = pool_.root<long>("count");
  Squares squares(pool_, "squares", [&](int number) -> long {
    TM_BEGIN { ++count; } TM_END;
    return number;
  });
  for (int i = 0; i < 10; ++i) squares(i % 5);
  EXPECT_EQ(count, 5);
}

// -- versions, limits, forgetting

TEST_F(MemoTest, AnotherVersionIsAnotherFunction) {
  Squares first(pool_, "squares", square(), {.version = 1});
  Squares second(pool_, "squares",
                 [this](int number) {
                   ++calls_;
                   return -static_cast<long>(number);
                 },
                 {.version = 2});
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 10; ++i) EXPECT_EQ(first(i), i * i);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(second(i), -i);
  }
  EXPECT_EQ(calls_, 20);
  EXPECT_EQ(second.statistics().entries, 20U);
  second.forget_other_versions();
  EXPECT_EQ(second.statistics().entries, 10U);
  EXPECT_EQ(second(3), -3);
  EXPECT_EQ(calls_, 20);
  EXPECT_EQ(first(3), 9);
  EXPECT_EQ(calls_, 21);
}

TEST_F(MemoTest, NoMoreEntriesThanTheLimit) {
  Squares squares(pool_, "squares", square(), {.most_entries = 10});
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(squares(i), static_cast<long>(i) * i);
    EXPECT_LE(squares.statistics().entries, 10U);
  }
  EXPECT_EQ(squares.statistics().entries, 10U);
  EXPECT_EQ(squares.statistics().evicted, 90U);
  EXPECT_EQ(calls_, 100);
}

/// What is asked for again and again stays, whatever passes through.
TEST_F(MemoTest, WhatIsUsedStays) {
  Squares squares(pool_, "squares", square(), {.most_entries = 10});
  for (int i = 0; i < 200; ++i) {
    squares(1000 + i);
    for (int used = 0; used < 5; ++used) squares(used);
  }
  EXPECT_EQ(calls_, 205);
}

TEST_F(MemoTest, NoMoreBytesThanTheLimit) {
  constexpr std::uint64_t most = 10'000;
  memo<std::string(int)> texts(pool_, "texts",
                               [this](int size) {
                                 ++calls_;
                                 return std::string(static_cast<std::size_t>(size), 'x');
                               },
                               {.most_bytes = most});
  for (int size = 1; size < 2000; size += 7) {
    EXPECT_EQ(texts(size).size(), static_cast<std::size_t>(size));
    EXPECT_LE(texts.statistics().bytes, most);
  }
  const MemoStatistics statistics = texts.statistics();
  EXPECT_GT(statistics.bytes, most / 2);
  EXPECT_EQ(statistics.entries + statistics.evicted, statistics.stored);
  calls_ = 0;
  EXPECT_EQ(texts(20'000).size(), 20'000U);  // too large to be kept
  EXPECT_EQ(texts(20'000).size(), 20'000U);
  EXPECT_EQ(calls_, 2);
  EXPECT_EQ(texts.statistics().entries, statistics.entries);
}

TEST_F(MemoTest, ASmallerLimitCountsAtOnce) {
  {
    Squares squares(pool_, "squares", square());
    for (int i = 0; i < 500; ++i) squares(i);
  }
  Squares squares(pool_, "squares", square(), {.most_entries = 20});
  EXPECT_EQ(squares.statistics().entries, 20U);
  Squares none(pool_, "squares", square(), {.most_entries = 0});
  EXPECT_EQ(none.statistics().entries, 0U);
  EXPECT_EQ(none(3), 9);
  EXPECT_EQ(none.statistics().entries, 0U);
}

TEST_F(MemoTest, Forgetting) {
  Squares squares(pool_, "squares", square());
  for (int i = 0; i < 300; ++i) squares(i);
  EXPECT_TRUE(squares.forget(17));
  EXPECT_FALSE(squares.forget(17));
  EXPECT_EQ(squares(17), 289);
  EXPECT_EQ(calls_, 301);
  squares.clear();
  EXPECT_EQ(squares.statistics().entries, 0U);
  EXPECT_EQ(squares.statistics().bytes, 0U);
  EXPECT_EQ(squares(18), 324);
  EXPECT_EQ(calls_, 302);
}

/// Everything is freed when the root is, or the result: so it fits in a small pool again and again.
TEST_F(MemoTest, NothingIsLeft) {
  pool_.close();
  pool_ = Pool::open(in_directory("small.pool"), {.size_limit = 4 << 20});
  for (int round = 0; round < 100; ++round) {
    {
      memo<std::string(int)> texts(pool_, "texts", [](int number) { return number < 10 ? long_text : ""; });
      for (int i = 0; i < 800; ++i) texts(i);
      for (int i = 0; i < 800; i += 2) texts.forget(i);
    }
    ASSERT_TRUE(pool_.remove_root<MemoTable<std::string(int)>>("texts"));
  }
}

// -- what can go wrong

TEST_F(MemoTest, AFullPool) {
  pool_.close();
  pool_ = Pool::open(in_directory("small.pool"), {.size_limit = 16 << 20});
  memo<std::string(int)> texts(pool_, "texts", [this](int) {
    ++calls_;
    return std::string(100'000, 'x');
  });
  int stored = 0;
  EXPECT_THROW(
      {
        for (;; ++stored) texts(stored);
      },
      std::bad_alloc);
  EXPECT_GT(stored, 10);
  EXPECT_THROW(texts(stored), std::bad_alloc);  // nobody is thought to be evaluating it
  EXPECT_EQ(texts(0).size(), 100'000U);
  EXPECT_EQ(calls_, stored + 2);
  EXPECT_TRUE(texts.forget(0));
  EXPECT_EQ(texts(stored).size(), 100'000U);
}

struct Small {
  long value;
};
struct Large {
  long value;
  long more;
};

/// As another version of the program would find it: the type has the same name, but not the same members.
TEST_F(MemoTest, ATableOfAnotherLayout) {
  auto& small = pool_.root<MemoTable<Small(int)>>("table");
  memo<Small(int)> smalls(small, [](int number) { return Small{number}; });
  EXPECT_EQ(smalls(1).value, 1);
  auto& large = reinterpret_cast<MemoTable<Large(int)>&>(small);
  EXPECT_THROW(memo<Large(int)>(large, [](int number) { return Large{number, number}; }), Error);
}

TEST_F(MemoTest, AKillInTheMiddleOfAnEvaluation) {
  if (!is_durable()) return;
  pool_.close();
  const int status = testing::in_child([&] {
    Pool pool = Pool::open(path());
    Squares squares(pool, "squares", [](auto& self, int number) -> long {
      if (number == 0) raise(SIGKILL);
      return number == 5 ? self(3) + self(0) : number;
    });
    squares(4);
    squares(5);
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  pool_ = Pool::open(path());
  Squares squares(pool_, "squares", square());
  EXPECT_EQ(squares(4), 4);  // whole
  EXPECT_EQ(squares(3), 3);  // so is what the unfinished one needed
  EXPECT_EQ(calls_, 0);
  EXPECT_EQ(squares(5), 25);  // nobody evaluates it any more
  EXPECT_EQ(squares(0), 0);
  EXPECT_EQ(calls_, 2);
}

/// All have the same hash, or nearly.
struct Colliding {
  int number;
  bool operator==(const Colliding&) const = default;
};

}  // namespace
}  // namespace perdure

template <>
struct std::hash<perdure::Colliding> {
  std::size_t operator()(const perdure::Colliding& value) const noexcept {
    return static_cast<std::size_t>(value.number % 3);
  }
};

namespace perdure {
namespace {

TEST_F(MemoTest, EqualHashes) {
  memo<long(Colliding)> numbers(pool_, "numbers",
                                [this](Colliding key) -> long {
                                  ++calls_;
                                  return key.number;
                                },
                                {.most_entries = 30});
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < 30; ++i) ASSERT_EQ(numbers({i}), i);
  EXPECT_EQ(calls_, 30);
  for (int i = 0; i < 300; ++i) ASSERT_EQ(numbers({i}), i);
  EXPECT_EQ(numbers.statistics().entries, 30U);
  for (int i = 0; i < 300; ++i) numbers.forget({i});
  EXPECT_EQ(numbers.statistics().entries, 0U);
}

TEST(MemoBytesTest, WhatValuesOwn) {
  const auto owned = [](const auto& value) { return detail::bytes_owned_by(value); };
  const std::string hundred(100, 'x');
  EXPECT_EQ(owned(1), 0U);
  EXPECT_EQ(owned(std::array<int, 9>{}), 0U);
  EXPECT_EQ(owned(std::string("short")), 0U);
  EXPECT_EQ(owned(hundred), 100U);
  EXPECT_EQ(owned(std::vector<long>(7)), 7 * sizeof(long));
  EXPECT_EQ(owned(std::vector<std::string>{hundred, "short"}), 2 * sizeof(std::string) + 100);
  EXPECT_EQ(owned(std::pair(hundred, std::vector<int>(3))), 100 + 3 * sizeof(int));
  EXPECT_GE(owned(std::map<int, std::string>{{1, hundred}}), 100 + sizeof(std::pair<const int, std::string>));
}

struct Item {
  std::uint64_t hash;
  Item* same_hash = nullptr;
};

/// Hashes that differ in their highest bits only lie deepest.
TEST(HashTrieTest, FindsWhatIsInIt) {
  std::vector<Item> items;
  for (std::uint64_t i = 0; i < 16; ++i)
    for (std::uint64_t j = 0; j < 16; ++j)
      for (std::uint64_t twice = 0; twice < 2; ++twice) items.push_back({i << 60 | j << (4 * i) % 60});
  detail::HashTrie<Item> trie;
  std::multiset<std::uint64_t> hashes;
  const auto expect_all = [&] {
    for (const Item& item : items) {
      std::size_t found = 0;
      for (const Item* other = trie.find(item.hash); other != nullptr; other = other->same_hash, ++found)
        EXPECT_EQ(other->hash, item.hash);
      EXPECT_EQ(found, hashes.count(item.hash));
    }
  };
  for (int round = 0; round < 2; ++round) {
    for (Item& item : items) {
      trie.insert(item);
      hashes.insert(item.hash);
      if (hashes.size() % 50 == 0) expect_all();
    }
    expect_all();
    for (std::size_t i = 0; i < items.size(); ++i) {
      Item& item = items[i * 77 % items.size()];
      trie.remove(item);
      hashes.erase(hashes.find(item.hash));
      if (i % 50 == 0) expect_all();
    }
    EXPECT_TRUE(hashes.empty());
  }
}

}  // namespace
}  // namespace perdure
