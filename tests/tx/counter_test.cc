// Counters, to which transactions add without conflicts.
#include "perdure/counter.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include "../pool/pool_test.h"
#include "perdure/perdure.h"
#include "persist/instance.h"
#include "tx/abort.h"

namespace perdure {
namespace {

struct Root {
  counter sold;
  counter returned;
  long visitors = 0;
  std::vector<counter> each;
};

class CounterTest : public testing::PoolTest {
 protected:
  Pool pool_ = Pool::open(path());
  Root& root_ = pool_.root<Root>("root");
};

TEST_F(CounterTest, WhatIsAddedIsThereAfterTheCommit) {
  TM_BEGIN {
    ++root_.sold;
    root_.sold += 10;
    --root_.returned;
    root_.returned -= 4;
    root_.returned++;
  } TM_END;
  EXPECT_EQ(root_.sold, 11);
  EXPECT_EQ(root_.returned.value(), -4);
}

TEST_F(CounterTest, ATransactionSeesWhatItHasAddedItself) {
  std::int64_t first = 0;
  std::int64_t second = 0;
  TM_BEGIN {
    root_.sold += 3;
    first = root_.sold;
    root_.sold += 2;
    second = root_.sold;
    root_.returned = 7;
    root_.returned += 1;
    root_.returned = 100;
    root_.returned += 1;
  } TM_END;
  EXPECT_EQ(first, 3);
  EXPECT_EQ(second, 5);
  EXPECT_EQ(root_.sold, 5);
  EXPECT_EQ(root_.returned, 101);
}

TEST_F(CounterTest, OutsideOfTransactionsItIsANumber) {
  root_.sold = 5;
  root_.sold += 2;
  const counter copy = root_.sold;
  EXPECT_EQ(copy, 7);
  EXPECT_LT(copy, 8);
}

TEST_F(CounterTest, OverflowWrapsAround) {
  TM_BEGIN {
    root_.sold = std::numeric_limits<std::int64_t>::max();
    root_.sold += 1;
  } TM_END;
  EXPECT_EQ(root_.sold, std::numeric_limits<std::int64_t>::min());
  TM_BEGIN { root_.sold -= std::numeric_limits<std::int64_t>::min(); } TM_END;
  EXPECT_EQ(root_.sold, 0);
}

TEST_F(CounterTest, WhatIsRolledBackIsNotAdded) {
  EXPECT_THROW(
      {
        TM_BEGIN {
          root_.sold += 3;
          throw std::runtime_error("not this one");
        } TM_END;
      },
      std::runtime_error);
  EXPECT_EQ(root_.sold, 0);
  TM_BEGIN { ++root_.sold; } TM_END;
  EXPECT_EQ(root_.sold, 1);
}

int attempts = 0;
[[perdure::pure]] void abort_first_attempt() {
  if (++attempts == 1) tx::abort(tx::CommitResult::validation);
}

TEST_F(CounterTest, AnAttemptThatIsRolledBackAddsNothing) {
  attempts = 0;
  TM_BEGIN {
    ++root_.sold;
    abort_first_attempt();
  } TM_END;
  EXPECT_EQ(attempts, 2);
  EXPECT_EQ(root_.sold, 1);
}

TEST_F(CounterTest, APartThatIsUndoneAddsNothing) {
  TM_BEGIN {
    root_.sold += 1;
    try {
      try_nested([&] {
        root_.sold += 10;
        root_.returned += 10;
        if (root_.sold == 11) root_.sold += 20;
        if (root_.sold != 31) root_.visitors = 1;
        throw root_.visitors;
      });
    } catch (long wrong) {
      root_.visitors = wrong;
      root_.sold += 100;
    }
    try_nested([&] { root_.sold += 1000; });
  } TM_END;
  EXPECT_EQ(root_.visitors, 0) << "the part saw what it had added, too";
  EXPECT_EQ(root_.sold, 1101);
  EXPECT_EQ(root_.returned, 0);
}

TEST_F(CounterTest, MayBeMoreThanATransactionCanNote) {
  constexpr int count = 1000;
  TM_BEGIN { root_.each.resize(count); } TM_END;
  TM_BEGIN {
    for (int round = 0; round < 3; ++round)
      for (int i = 0; i < count; ++i) root_.each[i] += i;
  } TM_END;
  for (int i = 0; i < count; ++i) EXPECT_EQ(root_.each[i], 3 * i);
}

TEST_F(CounterTest, MovesWithWhatItIsIn) {
  TM_BEGIN {
    root_.each.resize(3);
    for (counter& each : root_.each) each += 5;
    root_.each.resize(100);
    root_.each[1] += 1;
    root_.each.erase(root_.each.begin());
  } TM_END;
  ASSERT_EQ(root_.each.size(), 99U);
  EXPECT_EQ(root_.each[0], 6);
  EXPECT_EQ(root_.each[1], 5);
  EXPECT_EQ(root_.each[2], 0);
}

TEST_F(CounterTest, IsGoneWithWhatItIsIn) {
  alignas(counter) static std::byte place[sizeof(counter)];
  counter local = 0;
  TM_BEGIN {
    {
      counter inner;
      inner += 7;
      local += inner;
    }
    auto* const block = new std::int64_t[4]();
    perdure_counter_add(&block[2], 5);
    delete[] block;
    auto* const another = new std::int64_t[4]();
    root_.sold += another[2] + perdure_counter_value(&another[2]);
    delete[] another;
    auto* const object = new (place) counter(1);
    *object += 1;
    object->~counter();
    new (place) std::int64_t(40);
  } TM_END;
  EXPECT_EQ(local, 7);
  EXPECT_EQ(root_.sold, 0);
  EXPECT_EQ(*std::launder(reinterpret_cast<std::int64_t*>(place)), 40);
}

[[perdure::pure]] std::int64_t as_other_code_sees(const counter& counter) {
  return reinterpret_cast<const std::int64_t&>(counter);
}

TEST_F(CounterTest, InASerialTransaction) {
  std::int64_t seen_before = 0;
  std::int64_t seen_after = 0;
  TM_BEGIN {
    root_.sold += 1;
    become_serial();
    seen_before = as_other_code_sees(root_.sold);
    root_.sold += 2;
    seen_after = as_other_code_sees(root_.sold);
  } TM_END;
  EXPECT_EQ(seen_before, 1);
  EXPECT_EQ(seen_after, 3);
  TM_SERIAL { root_.sold += 4; }
  TM_END;
  EXPECT_EQ(root_.sold, 7);
}

TEST_F(CounterTest, ManyThreadsAdd) {
  constexpr int threads = 4;
  constexpr int rounds = 2000;
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t)
    running.emplace_back([this, t] {
      for (int i = 0; i < rounds; ++i) {
        std::int64_t difference = 0;
        TM_BEGIN {
          root_.sold += i;
          root_.returned -= i;
          if (i % 100 == t) difference = root_.sold + root_.returned;
        } TM_END;
        EXPECT_EQ(difference, 0);
      }
    });
  for (std::thread& each : running) each.join();
  EXPECT_EQ(root_.sold, std::int64_t{threads} * rounds * (rounds - 1) / 2);
  EXPECT_EQ(root_.sold, -root_.returned);
}

std::thread another;
[[perdure::pure]] void let_another_add(Root& root) {
  if (++attempts > 1) return;
  const std::atomic_ref word(reinterpret_cast<std::int64_t&>(root.sold));
  const std::int64_t before = word.load();
  another = std::thread([&root] { TM_BEGIN { ++root.sold; } TM_END; });
  // Its commit may wait for this transaction to end. So what is waited for is its effect, and that it gives its locks
  // back.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (word.load() == before && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

TEST_F(CounterTest, TwoThatAddAreNotInConflict) {
  if (!instance.facts.conflicts) GTEST_SKIP() << "one transaction at a time";
  constexpr int most = 50;  // who ran alone begins again when another comes, and machines are busy
  int rounds = 0;
  do {
    attempts = 0;
    TM_BEGIN {
      ++root_.sold;
      let_another_add(root_);
    } TM_END;
    another.join();
    ++rounds;
    EXPECT_EQ(root_.sold, 2 * rounds);
  } while (attempts > 1 && rounds < most);
  EXPECT_EQ(attempts, 1) << "one has committed while the other ran";
}

TEST_F(CounterTest, OneThatLooksWaitsUntilItChanges) {
  std::thread waiting([this] {
    TM_BEGIN {
      if (root_.sold < 3) TM_RETRY;
      root_.visitors += 1;
    } TM_END;
  });
  for (int i = 0; i < 3; ++i) {
    TM_BEGIN { ++root_.sold; } TM_END;
  }
  waiting.join();
  EXPECT_EQ(root_.visitors, 1);
}

}  // namespace
}  // namespace perdure
