// Who has the turn to make updates makes those of others, who wait for it (tx/combining.h).
#include <array>
#include <atomic>
#include <memory>
#include <new>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "abi/entry_points.h"
#include "perdure/c.h"
#include "perdure/handlers.h"
#include "perdure/statistics.h"
#include "replicated_pool.h"
#include "sched/thread_registry.h"
#include "tests/tx/by_hand.h"

namespace perdure {
namespace {

unsigned announced_operations() {
  unsigned count = 0;
  sched::thread_registry.for_each(
      [&](const sched::ThreadSlot& slot) { count += slot.announced.load(std::memory_order_relaxed) != nullptr; });
  return count;
}

class Combining : public ReplicatedPoolTest {
 protected:
  Combining() : pool_(Pool::open(path())), words_(words_of(pool_)) {
    set(words_.first->value, 1);
    set(words_.second->value, 1);
  }

  /// This thread makes an update, which ends no sooner than each of the others, which have the turn to wait for, has
  /// announced its block. Those who have to run it themselves do so afterwards.
  template <class... Blocks>
  void run_beside_an_update(Blocks... blocks) {
    waits_for_ = sizeof...(blocks);
    is_in_turn_ = false;
    ready_ = 0;
    std::vector<std::thread> others;
    (others.emplace_back([this, blocks] {
      set(words_.first->value, 2);  // who has written twice expects to write again
      set(words_.first->value, 3);
      ++ready_;
      while (!is_in_turn_) std::this_thread::yield();
      blocks();
    }),
     ...);
    while (ready_ < waits_for_) std::this_thread::yield();
    reset_statistics();
    TM_BEGIN {
      words_.first->value = 100;
      stay();
    } TM_END;
    updates_ = statistics();
    for (std::thread& other : others) other.join();
  }

  std::uint64_t done_by_other() const { return updates_.commits_for_others; }

  /// In the first attempt only.
  PERDURE_PURE void stay() {
    if (is_in_turn_.exchange(true)) return;
    while (announced_operations() < waits_for_) std::this_thread::yield();
  }

  Pool pool_;
  Words& words_;
  unsigned waits_for_ = 0;
  std::atomic<unsigned> ready_{0};
  std::atomic<bool> is_in_turn_{false};
  Statistics updates_;
};

TEST_P(Combining, OneTurnAndTwoFencesForTwoUpdates) {
  Words& words = words_;
  long before = 0;
  run_beside_an_update([&] {
    long seen = 0;
    const long added = 6;
    TM_BEGIN {
      seen = words.second->value;
      words.second->value += added;
    } TM_END;
    before = seen;
  });
  EXPECT_EQ(before, 1);
  EXPECT_EQ(get(words.second->value), 7);
  EXPECT_EQ(get(words.first->value), 100);
  EXPECT_EQ(done_by_other(), 1U);
  EXPECT_EQ(updates_.commits, 2U);
  EXPECT_EQ(updates_.replica_turns, 1U);
  EXPECT_EQ(updates_.fences, 2U);
}

TEST_P(Combining, OneTurnForAllWhoWait) {
  Words& words = words_;
  std::array<long, 3> tickets{};
  const auto take = [&words](long& ticket) {
    return [&words, &ticket] { ticket = TM_BEGIN { return words.second->value++; } TM_END; };
  };
  run_beside_an_update(take(tickets[0]), take(tickets[1]), take(tickets[2]));
  EXPECT_EQ(std::set<long>(tickets.begin(), tickets.end()), (std::set<long>{1, 2, 3}));
  EXPECT_EQ(get(words.second->value), 4);
  EXPECT_EQ(done_by_other(), 3U);
  EXPECT_EQ(updates_.replica_turns, 1U);
}

TEST_P(Combining, ItSeesWhatTheOtherHasWritten) {
  Words& words = words_;
  long seen = 0;
  run_beside_an_update([&] { seen = TM_BEGIN { return words.second->value = words.first->value; } TM_END; });
  EXPECT_EQ(seen, 100);
  EXPECT_EQ(get(words.second->value), 100);
  EXPECT_EQ(done_by_other(), 1U);
}

TEST_P(Combining, BlocksAreAllocatedAndFreed) {
  Words& words = words_;
  for (int round = 0; round < 3; ++round) {
    run_beside_an_update([&] {
      long* made = nullptr;
      TM_BEGIN {
        delete static_cast<long*>(words.filling);
        made = new long(words.first->value);
        words.filling = made;
      } TM_END;
      EXPECT_EQ(get(*made), 100);
    });
    EXPECT_EQ(done_by_other(), 1U);
    EXPECT_EQ(updates_.allocations, 1U);
    EXPECT_EQ(get(*static_cast<long*>(words.filling)), 100);
  }
}

TEST_P(Combining, ItsExceptionIsItsOwners) {
  Words& words = words_;
  bool was_thrown = false;
  run_beside_an_update([&] {
    try {
      TM_BEGIN {
        words.second->value = 50;
        if (words.first->value != 0) throw std::runtime_error("not now");
      } TM_END;
    } catch (const std::runtime_error& error) {
      was_thrown = error.what() == std::string("not now");
    }
  });
  EXPECT_TRUE(was_thrown);
  EXPECT_EQ(get(words.second->value), 1);
  EXPECT_EQ(get(words.first->value), 100);
  EXPECT_EQ(done_by_other(), 0U);
}

TEST_P(Combining, TransactionsOfC) {
  struct Addition {
    long* word;
    long amount;
    long before;

    static int make(void* argument) {
      Addition& addition = *static_cast<Addition*>(argument);
      addition.before = *addition.word;
      *addition.word += addition.amount;
      return addition.amount > 0 ? 0 : 7;
    }
  };
  long before = 0;
  run_beside_an_update([&] {
    Addition addition{&words_.second->value, 6, 0};
    EXPECT_EQ(perdure_transaction(Addition::make, &addition), 0);
    before = addition.before;
  });
  EXPECT_EQ(before, 1);
  EXPECT_EQ(get(words_.second->value), 7);
  EXPECT_EQ(done_by_other(), 1U);
  run_beside_an_update([&] {
    Addition addition{&words_.second->value, -6, 0};
    EXPECT_EQ(perdure_transaction(Addition::make, &addition), 7);
  });
  EXPECT_EQ(get(words_.second->value), 7) << "rolled back";
  EXPECT_EQ(done_by_other(), 0U);
}

/// What the plugin does not take for portable is given back, too.
struct GivenBack {
  std::uint64_t* word;
  void (*what_only_its_owner_can)();

  void operator()() const {
    perdure_write_u64(word, 50);
    what_only_its_owner_can();
  }
};

void run_as_portable(GivenBack block) { by_hand::transact_portably(block); }

TEST_P(Combining, WhatBecomesSerialIsGivenBack) {
  std::uint64_t word = 0;
  run_beside_an_update([&] { run_as_portable({&word, perdure_become_serial}); });
  EXPECT_EQ(word, 50U);
  EXPECT_EQ(get(words_.first->value), 100);
  EXPECT_EQ(done_by_other(), 0U);
  EXPECT_EQ(statistics().serial_transactions, 1U);
}

TEST_P(Combining, WhatHasHandlersIsGivenBack) {
  static std::thread::id handler;
  std::uint64_t word = 0;
  std::thread::id owner;
  run_beside_an_update([&] {
    owner = std::this_thread::get_id();
    run_as_portable({&word, [] { on_commit([] { handler = std::this_thread::get_id(); }); }});
  });
  EXPECT_EQ(word, 50U);
  EXPECT_EQ(handler, owner);
  EXPECT_EQ(done_by_other(), 0U);
}

TEST_P(Combining, WhatWaitsIsGivenBack) {
  static std::uint64_t awaited;
  awaited = 0;
  reset_statistics();
  std::uint64_t word = 0;
  std::thread changes([] {
    while (statistics().waits == 0) std::this_thread::yield();
    TM_BEGIN { awaited = 1; } TM_END;
  });
  run_beside_an_update([&] {
    run_as_portable({&word, [] {
                       if (perdure_read_u64(&awaited) == 0) perdure_retry();
                     }});
  });
  changes.join();
  EXPECT_EQ(word, 50U);
  EXPECT_EQ(done_by_other(), 0U);
}

TEST_P(Combining, WhatFindsNoRoomFailsAlone) {
  Words& words = words_;
  bool was_full = false;
  run_beside_an_update([&] {
    try {
      TM_BEGIN {
        words.second->value = 50;
        words.filling = ::operator new(std::size_t{1} << 50);
      } TM_END;
    } catch (const std::bad_alloc&) {
      was_full = true;
    }
  });
  EXPECT_TRUE(was_full);
  EXPECT_EQ(get(words.second->value), 1);
  EXPECT_EQ(get(words.first->value), 100);
}

TEST_P(Combining, ThreadsThatDrawTickets) {
  constexpr long threads = 4;
  constexpr long tickets = 2000;
  Words& words = words_;
  set(words.second->value, 0);
  reset_statistics();
  std::vector<std::atomic<int>> drawn(threads * tickets);
  std::vector<std::thread> drawing;
  for (long thread = 0; thread < threads; ++thread)
    drawing.emplace_back([&] {
      for (long i = 0; i < tickets; ++i) {
        long ticket = 0;
        TM_BEGIN { ticket = words.second->value++; } TM_END;
        ++drawn[static_cast<std::size_t>(ticket)];
      }
    });
  for (std::thread& thread : drawing) thread.join();
  for (const std::atomic<int>& count : drawn) EXPECT_EQ(count, 1);
  EXPECT_EQ(get(words.second->value), threads * tickets);
  EXPECT_EQ(statistics().commits, static_cast<std::uint64_t>(threads * tickets));
}

INSTANTIATE_TEST_SUITE_P(Copies, Combining, ::testing::Values(two_copies, several_copies),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace perdure
