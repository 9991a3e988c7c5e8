// Threads that add to one counter.
#include <array>
#include <thread>

#include "factories.h"
#include "perdure/counter.h"
#include "stepped.h"

namespace perdure::simulate {
namespace {

struct alignas(64) Done {
  std::uint64_t number = 0;
};

struct Tally {
  alignas(64) counter sum;
  alignas(64) counter difference;
  std::array<Done, 2> done;
};

/// Each thread notes how far it has come and adds to both counters. It looks at one of them once, in the middle.
class TallyWorkload : public Workload {
 public:
  void prepare(Pools& pools) override { tally_of(pools.front()); }

  void run(const Paths& paths) override {
    Pool pool = Pool::open(paths.front());
    Tally& tally = tally_of(pool);
    std::array<std::thread, 2> threads;
    for (std::uint64_t who = 0; who < 2; ++who)
      threads[who] = std::thread([&tally, who] {
        for (std::uint64_t number = 1; number <= steps; ++number) {
          begin(who, number);
          TM_BEGIN {
            tally.sum += amount(who);
            tally.difference -= amount(who);
            if (number == steps) require(tally.sum + tally.difference == 0, "both counters have what was added");
            tally.done[who].number = number;
          } TM_END;
          acknowledge(who, number);
        }
      });
    for (std::thread& thread : threads) thread.join();
    close(pool);
  }

  void check(Pools& pools, const Notes& notes) override {
    check_closed(pools, notes);
    Tally& tally = tally_of(pools.front());
    std::array<std::uint64_t, 2> done{};
    std::int64_t sum = 0;
    std::int64_t difference = 0;
    TM_BEGIN {
      for (std::uint64_t who = 0; who < 2; ++who) done[who] = tally.done[who].number;
      sum = tally.sum;
      difference = tally.difference;
    } TM_END;
    std::int64_t expected = 0;
    for (std::uint64_t who = 0; who < 2; ++who) {
      require(notes.allow(who, done[who]), "an acknowledged transaction is missing");
      expected += amount(who) * static_cast<std::int64_t>(done[who]);
    }
    require(sum == expected && difference == -expected, "after additions of " + std::to_string(expected) +
                                                            " the counters are " + std::to_string(sum) + " and " +
                                                            std::to_string(difference));
  }

 private:
  static constexpr std::uint64_t steps = 2;
  static std::int64_t amount(std::uint64_t who) { return who == 0 ? 1 : 100; }
  static Tally& tally_of(Pool& pool) { return pool.root<Tally>("tally"); }
};

}  // namespace

std::unique_ptr<Workload> make_tally() { return std::make_unique<TallyWorkload>(); }

}  // namespace perdure::simulate
