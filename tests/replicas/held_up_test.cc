// Where threads make updates side by side, one at a time brings the pool itself up to date (log/mirror.h), and each
// brings the copy up to date that it takes (log/exclusive_copy.h). A thread may be held up meanwhile for longer than
// turns can be looked at: plain code finds all updates in the end, and so do transactions; and meanwhile blocks can be
// reused.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <string>

#include "log/announcement.h"
#include "log/exclusive_copy.h"
#include "log/replica_set.h"
#include "log/turns.h"
#include "perdure/pool.h"
#include "perdure/transaction.h"
#include "simulate/scheduler.h"
#include "tests/pool/pool_test.h"
#include "tests/simulator/stopped_workers.h"

namespace perdure::simulate {
namespace {

using Kind = Strategy::Kind;

constexpr std::size_t workers = 3;

/// Each update writes to a place of its own, so that none hides what another one lacks.
struct Places {
  struct alignas(64) Place {
    std::size_t value = 0;
  };
  std::array<Place, workers * 8> all;
};

class HeldUp : public testing::PoolTest {
 protected:
  /// \param stop  after so many steps a thread is stopped until the others have ended. \returns how many there were.
  std::uint64_t run(const Strategy& strategy, std::uint64_t stop, std::size_t updates) {
    Places& places = places_;
    TM_BEGIN { places = {}; } TM_END;
    const std::string how = "seed " + std::to_string(strategy.seed) + ", stopped at " + std::to_string(stop);
    const auto write = [&places](std::size_t place) { TM_BEGIN { places.all[place].value = place; } TM_END; };
    const std::uint64_t steps = StoppedWorkers(workers).run(
        strategy, {stop, 0}, [&](std::size_t who) { write(who); },
        [&](std::size_t who) {
          for (std::size_t i = 1; i < updates; ++i) write(i * workers + who);
        },
        [&] { expect_that_blocks_can_be_reused([&] { write(0); }, how); });
    written_ = updates * workers;
    check(log::main_copy, how);
    check(log::replica_sets[pool::slot_of(&places)].current(), how);
    check_further_copies(how);
    return steps;
  }

 private:
  /// After some updates of others: somebody takes over, if it is the stopped thread that was to bring the pool itself
  /// up to date. But that may be in the middle of noting what the pool lacks of a turn that goes out of reach.
  template <class Update>
  static void expect_that_blocks_can_be_reused(const Update& update, const std::string& how) {
    constexpr unsigned most_updates = 16;
    const std::uint64_t freed_at = log::turns.time();
    unsigned updates = 0;
    while (log::oldest_announced() <= freed_at && ++updates < most_updates) update();
    if (log::turns.oldest_being_kept() == sched::never) EXPECT_LT(updates, most_updates) << how;
  }

  /// Those that a thread could take.
  void check_further_copies(const std::string& how) const {
    sched::ThreadSlot& self = sched::thread_registry.acquire();
    const std::uint64_t now = log::turns.begin_to_read(self);
    std::array<log::ExclusiveCopy, copies> taken;
    std::size_t count = 0;
    while (taken[count].take(log::replica_sets[pool::slot_of(&places_)], self, now, log::ExclusiveCopy::Choice::any))
      check(taken[count++].number(), how);
    EXPECT_EQ(count, copies - 2) << "all but the pool itself and the one that counts";
    while (count != 0) taken[--count].leave_unchanged({});
    self.running_since.store(sched::never);
    sched::thread_registry.release(self);
  }

  void check(log::Copy copy, const std::string& how) const {
    for (std::size_t i = 0; i < written_; ++i) {
      const std::size_t* const value = &places_.all[i].value;
      EXPECT_EQ(*log::at_distance(value, copy == log::main_copy ? 0 : log::replica_map.distance(value, copy)), i)
          << "copy " << copy << ", " << how;
    }
  }

  static constexpr log::Copy copies = 5;

  std::size_t written_ = 0;

 protected:
  Pool pool_ = Pool::open(path(), {.copies = copies});
  Places& places_ = pool_.root<Places>("places");
};

TEST_F(HeldUp, ThePoolAndItsCopiesHaveAllUpdatesInTheEnd) {
  const bool is_long = std::getenv("LONG_TESTS") != nullptr;
  const std::uint64_t seeds = is_long ? 50 : 1;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Strategy strategy{.kind = seed % 2 == 0 ? Kind::uniform : Kind::priorities, .seed = seed};
    // Of more, nothing can be looked at that was made before the thread was held up.
    for (const std::size_t updates : {2, 8}) {
      const std::uint64_t steps = run(strategy, 0, updates);
      const std::uint64_t stride = updates < 8 ? 5 : 61;
      for (std::uint64_t step = 1; step <= steps && !HasFailure(); step += is_long ? 1 : stride)
        run(strategy, step, updates);
    }
  }
}

}  // namespace
}  // namespace perdure::simulate
