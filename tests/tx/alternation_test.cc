// Threads that work beside each other take turns in which each is alone, where that is faster
// (libs/sched/alternation.h).
#include "sched/alternation.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "persist/sanitizers.h"
#include "sole_thread.h"
#include "tests/pool/pool_test.h"

namespace perdure {
namespace {

using namespace by_hand;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::nanoseconds;

class Alternation : public SoleThreadTest {
 protected:
  Alternation() {
    sched::sole_thread.forget_threads();  // what they have found out before
    other_.in_use.store(true);            // as if a thread had it
  }
  ~Alternation() override {
    sched::sole_thread.forgo_turn();
    sched::thread_registry.release(other_);
    sched::alternation_limits = {};
  }

  /// From now on turns are tried at once and last so long; they are found to be faster, or not.
  static void allow_turns(nanoseconds length, bool are_faster = true) {
    sched::patience = {.first = 1, .most = 1};
    sched::alternation_limits = {.worth_it = are_faster ? 0.0 : 1e9,
                                 .window = nanoseconds(0),
                                 .shortest_turn = length,
                                 .longest_turn = 2 * length,
                                 .first_series = hours(1),
                                 .first_pause = hours(1)};
  }

  /// Runs transactions, and so does another thread, as far as this one can see, until this one has its turn.
  void take_turn() {
    for (int i = 0; i < 1000 && !sched::sole_thread.is_turn(); ++i) {
      other_.beginnings.fetch_add(1);
      add_one();
    }
    ASSERT_TRUE(sched::sole_thread.is_turn());
    add_one();
  }

  void add_one() {
    transact([&] { write(shared_[0], read(shared_[0]) + 1); });
  }

  sched::ThreadSlot& other_ = sched::thread_registry.acquire();
};

TEST_F(Alternation, OthersWaitUntilATurnIsOverAndHaveTheNext) {
  allow_turns(milliseconds(100));
  take_turn();
  const auto end = sched::sole_thread.turn_end();
  in_another_thread([&] {
    add_one();
    EXPECT_GE(sched::Alternation::now(), end);
    EXPECT_TRUE(sched::sole_thread.is_turn());
    EXPECT_GT(sched::sole_thread.turn_end(), end);
  });
  EXPECT_FALSE(is_claimed()) << "a thread has kept its turn when it ended";
  add_one();
}

TEST_F(Alternation, NobodyHasTheNextIfThatIsNotFaster) {
  allow_turns(milliseconds(100), false);
  take_turn();
  in_another_thread([&] {
    add_one();
    EXPECT_FALSE(sched::sole_thread.is_turn());
  });
}

TEST_F(Alternation, NobodyWaitsForItWhoIsToBeAlone) {
  allow_turns(hours(1));
  take_turn();
  const std::uint64_t before = shared_[0];
  in_another_thread([&] { transact_serially([&] { write(shared_[0], read(shared_[0]) + 1); }); });
  EXPECT_EQ(shared_[0], before + 1);
  EXPECT_FALSE(sched::sole_thread.is_turn());
}

TEST_F(Alternation, EndsWhenItsHolderBecomesSerial) {
  allow_turns(hours(1));
  take_turn();
  transact([&] {
    write(shared_[1], 1);
    perdure_become_serial();
  });
  EXPECT_FALSE(sched::sole_thread.is_turn());
  in_another_thread([&] { add_one(); });
}

TEST_F(Alternation, EndsWithItsThread) {
  allow_turns(hours(1));
  in_another_thread([&] { take_turn(); });
  EXPECT_FALSE(sched::sole_thread.is_turn());
  add_one();
}

TEST_F(Alternation, IsNotTakenBesideATransactionThatGoesOn) {
  allow_turns(microseconds(100));
  other_.running_since.store(1);
  for (int i = 0; i < 10; ++i) {
    other_.beginnings.fetch_add(1);
    transact([&] { read(shared_[0]); });  // which waits for nobody, in any mode
    EXPECT_FALSE(is_claimed());
  }
  other_.running_since.store(sched::never);
}

#ifndef PERDURE_THREAD_SANITIZER  // it supports no threads in the child of a process that has several
TEST_F(Alternation, AChildDoesNotWaitForItsParent) {
  static std::uint64_t outside = 0;  // a child has no pools
  allow_turns(hours(1));
  std::atomic<bool> has_turn{false}, is_over{false};
  std::thread holder([&] {
    take_turn();
    has_turn = true;
    while (!is_over) std::this_thread::yield();
  });
  while (!has_turn) std::this_thread::yield();
  const int status = testing::in_child([&] {
    alarm(20);
    transact([&] { write(outside, read(outside) + 1); });
    _exit(outside == 1 ? 0 : 1);
  });
  EXPECT_EQ(status, 0);
  is_over = true;
  holder.join();
}
#endif

/// Each is cut off when its turn ends, and again if that were all it had.
TEST_F(Alternation, TransactionsLongerThanATurnAreDone) {
  allow_turns(microseconds(20));
  sched::alternation_limits.first_pause = sched::alternation_limits.longest_pause = microseconds(100);
  std::vector<std::thread> threads;
  for (unsigned number = 0; number < 2; ++number)
    threads.emplace_back([&] {
      for (int i = 0; i < 30; ++i)
        transact([&] {
          const std::uint64_t before = read(shared_[0]);
          std::this_thread::sleep_for(milliseconds(1));
          read(shared_[1]);
          write(shared_[0], before + 1);
        });
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(shared_[0], 60U);
}

/// Two words that always change together.
TEST_F(Alternation, OfManyThreadsEachHasItsTurns) {
  allow_turns(microseconds(50));
  auto& limits = sched::alternation_limits;
  limits.longest_turn = milliseconds(100);
  limits.first_series = limits.longest_series = limits.first_pause = limits.longest_pause = milliseconds(1);
  static constexpr unsigned enough = 40;
  const auto deadline = std::chrono::steady_clock::now() + minutes(1);
  std::atomic<unsigned> mixtures{0}, turns{0};
  std::atomic<std::uint64_t> additions{0};
  std::vector<std::thread> running;
  for (unsigned number = 0; number < 4; ++number)
    running.emplace_back([&] {
      auto last_seen = sched::Alternation::no_turn;
      for (unsigned i = 0; i < 2000 || (turns < enough && std::chrono::steady_clock::now() < deadline); ++i) {
        transact([&] {
          const std::uint64_t first = read(shared_[0]);
          if (i % 64 == 0) std::this_thread::yield();
          if (read(shared_[32]) != first) ++mixtures;
          write(shared_[0], first + 1);
          write(shared_[32], first + 1);
        });
        ++additions;
        const auto end = sched::sole_thread.turn_end();
        if (end != sched::Alternation::no_turn && end != std::exchange(last_seen, end)) ++turns;
      }
    });
  for (std::thread& thread : running) thread.join();
  EXPECT_EQ(mixtures, 0U);
  EXPECT_EQ(shared_[32], additions);
  EXPECT_GE(turns, enough) << "hardly any had a turn";
}

}  // namespace
}  // namespace perdure
