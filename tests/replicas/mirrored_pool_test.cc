// Where threads make updates side by side, one at a time brings the pool itself up to date (log/mirror.h). It may be
// held up meanwhile for longer than turns can be looked at; plain code finds all updates there in the end.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

#include "perdure/pool.h"
#include "perdure/transaction.h"
#include "simulate/scheduler.h"
#include "tests/pool/pool_test.h"
#include "tests/simulator/stopped_workers.h"

namespace perdure::simulate {
namespace {

using Kind = Strategy::Kind;

constexpr std::size_t workers = 3;
constexpr std::size_t updates = 8;  // of each

/// Each update writes to a place of its own, so that none hides what another one lacks.
struct Places {
  struct alignas(64) Place {
    std::size_t value = 0;
  };
  std::array<Place, workers * updates> all;
};

class MirroredPool : public testing::PoolTest {
 protected:
  /// \param stop  after so many steps a thread is stopped until the others have ended. \returns how many there were.
  std::uint64_t run(const Strategy& strategy, std::uint64_t stop) {
    Places& places = places_;
    TM_BEGIN { places = {}; } TM_END;
    const auto write = [&places](std::size_t place) { TM_BEGIN { places.all[place].value = place; } TM_END; };
    const std::uint64_t steps = StoppedWorkers(workers).run(
        strategy, {stop, 0}, [&](std::size_t who) { write(who * updates); },
        [&](std::size_t who) {
          for (std::size_t i = 1; i < updates; ++i) write(who * updates + i);
        });
    for (std::size_t place = 0; place < places.all.size(); ++place)
      EXPECT_EQ(places.all[place].value, place) << "seed " << strategy.seed << ", stopped at step " << stop;
    return steps;
  }

  Pool pool_ = Pool::open(path(), {.copies = 5});
  Places& places_ = pool_.root<Places>("places");
};

TEST_F(MirroredPool, HasAllUpdatesWhereNoTransactionRuns) {
  const bool is_long = std::getenv("LONG_TESTS") != nullptr;
  const std::uint64_t seeds = is_long ? 100 : 4;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Strategy strategy{.kind = seed % 2 == 0 ? Kind::uniform : Kind::priorities, .seed = seed};
    const std::uint64_t steps = run(strategy, 0);
    for (std::uint64_t step = 1; step <= steps && !HasFailure(); step += is_long ? 1 : 31) run(strategy, step);
  }
}

}  // namespace
}  // namespace perdure::simulate
