// Threads that help each other (tx/helping.h): whoever makes an operation, it is made once, its results come to its
// owner, and what only the owner can do the owner does.
#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "perdure/handlers.h"
#include "perdure/nested.h"
#include "perdure/retry.h"
#include "perdure/statistics.h"
#include "replicated_pool.h"
#include "sched/waiters.h"

namespace perdure {
namespace {

struct Node {
  long number = 0;
  Node* next = nullptr;
};

struct Ledger {
  long operations = 0;
  long pushed = 0;
  long popped = 0;
  Node* first = nullptr;
};

class Helping : public ReplicatedPoolTest {
 protected:
  static constexpr unsigned threads = 4;
  static constexpr long rounds = 2000;

  Helping() : pool_(Pool::open(path())), ledger_(pool_.root<Ledger>("ledger")) {}

  /// Again, until threads have met, or, where `helped` says so, helped each other: on few processors that takes time.
  /// \param operation  of a thread, by the number of the round; returns which operation it was, or 0 if it was none.
  template <class Operation>
  void run(Operation operation, bool helped = false) {
    constexpr int most_runs = 400;
    reset_statistics();
    const auto is_over = [helped] {
      const Statistics now = statistics();
      return helped ? now.commits_for_others != 0 : now.aborts_locked != 0;
    };
    do run_once(operation);
    while (++runs_ < most_runs && !is_over() && !HasFailure());
    EXPECT_TRUE(is_over());
  }

  /// How often threads have run through all rounds.
  long runs() const { return runs_; }

  Pool pool_;
  Ledger& ledger_;

 private:
  template <class Operation>
  void run_once(Operation operation) {
    const long before = ledger_.operations;
    std::vector<std::vector<long>> numbers(threads);
    std::vector<std::thread> running;
    for (unsigned thread = 0; thread < threads; ++thread)
      running.emplace_back([&, thread] {
        for (long round = 1; round <= rounds; ++round)
          if (const long number = operation(ledger_, round)) numbers[thread].push_back(number);
      });
    for (std::thread& each : running) each.join();
    std::vector<long> all;
    for (const std::vector<long>& each : numbers) {
      EXPECT_TRUE(std::ranges::is_sorted(each));
      all.insert(all.end(), each.begin(), each.end());
    }
    std::ranges::sort(all);
    for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], before + static_cast<long>(i) + 1) << "made once";
    EXPECT_EQ(ledger_.operations, before + static_cast<long>(all.size()));
  }

  int runs_ = 0;
};

TEST_P(Helping, ResultsComeToTheOwner) {
  run(
      [](Ledger& ledger, long) {
        long before = 0;
        long after = 0;
        TM_BEGIN {
          before = ledger.operations;
          after = ++ledger.operations;
        } TM_END;
        EXPECT_EQ(after, before + 1);
        return after;
      },
      true);
}

TEST_P(Helping, BlocksAreAllocatedAndFreed) {
  run([](Ledger& ledger, long round) {
    long number = 0;
    if (round % 2 != 0) {
      TM_BEGIN {
        number = ++ledger.operations;
        ledger.first = new Node{number, ledger.first};
        ++ledger.pushed;
      } TM_END;
    } else {
      TM_BEGIN {
        number = ++ledger.operations;
        if (Node* const node = ledger.first) {
          ledger.first = node->next;
          delete node;
          ++ledger.popped;
        }
      } TM_END;
    }
    return number;
  });
  long left = 0;
  for (const Node* node = ledger_.first; node != nullptr; node = node->next) ++left;
  EXPECT_EQ(left, ledger_.pushed - ledger_.popped) << "where no transaction runs";
}

TEST_P(Helping, ExceptionsLeaveTheOwnersBlock) {
  std::atomic<long> caught{0};
  run([&caught](Ledger& ledger, long round) {
    long number = 0;
    try {
      TM_BEGIN {
        number = ++ledger.operations;
        ++ledger.pushed;
        if (round % 3 == 0) throw round;
      } TM_END;
    } catch (long thrown) {
      EXPECT_EQ(thrown, round);
      ++caught;
      return 0L;
    }
    return number;
  });
  EXPECT_EQ(caught, runs() * threads * (rounds / 3));
  EXPECT_EQ(ledger_.pushed, ledger_.operations) << "what left was undone";
}

TEST_P(Helping, HandlersAreTheOwners) {
  static thread_local long told = 0;
  std::atomic<long> all{0};
  run([&all](Ledger& ledger, long round) {
    long number = 0;
    const long before = told;
    TM_BEGIN {
      number = ++ledger.operations;
      if (round % 5 == 0) on_commit([] { ++told; });
    } TM_END;
    EXPECT_EQ(told, before + (round % 5 == 0 ? 1 : 0));
    all += told - before;
    return number;
  });
  EXPECT_EQ(all, runs() * threads * (rounds / 5));
}

TEST_P(Helping, BesideThoseWhoAreAlone) {
  run([](Ledger& ledger, long round) {
    long number = 0;
    if (round % 16 == 0) {
      TM_SERIAL { number = ++ledger.operations; }
      TM_END;
    } else {
      TM_BEGIN { number = ++ledger.operations; } TM_END;
    }
    return number;
  });
}

TEST_P(Helping, PartsAreUndoneAlone) {
  run([](Ledger& ledger, long round) {
    long number = 0;
    TM_BEGIN {
      number = ++ledger.operations;
      try {
        try_nested([&] {
          ++ledger.pushed;
          if (round % 2 != 0) throw round;
        });
      } catch (long) {
      }
    } TM_END;
    return number;
  });
  EXPECT_EQ(ledger_.pushed, ledger_.operations / 2);
}

// The first write to what a pool had before makes a transaction run alone (algorithms/helped_writes.h).
TEST_P(Helping, WhoIsAloneForItsFirstWriteMayWait) {
  pool_.close();
  Pool pool = Pool::open(path());
  Ledger& ledger = pool.root<Ledger>("ledger");
  std::thread waiting([&ledger] {
    TM_BEGIN {
      ++ledger.pushed;
      if (ledger.operations == 0) TM_RETRY;
    } TM_END;
  });
  while (!sched::waiters.are_there()) std::this_thread::yield();
  TM_BEGIN { ++ledger.operations; } TM_END;
  waiting.join();
  EXPECT_EQ(ledger.pushed, 1);
}

INSTANTIATE_TEST_SUITE_P(Copies, Helping, ::testing::Values(log::Copy{3}, log::Copy{5}),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace perdure
