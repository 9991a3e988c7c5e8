// Logs that take the place of data.
#include <array>
#include <cstdlib>
#include <thread>

#include "factories.h"
#include "stepped.h"

namespace perdure::simulate {
namespace {

struct alignas(128) Count {
  std::uint64_t value = 0;
};
using Counts = std::array<Count, 2>;

/// Threads whose first log segments lie where a large block was. What it held looks like entries of an undo log, of the
/// first generation, and would be taken for some if it were still there after a crash.
class DebrisWorkload : public Workload {
  static constexpr std::size_t words = 600 * 1024 / sizeof(std::uint64_t);
  static constexpr std::uint64_t plausible_tag = 1;

 public:
  void prepare(Pools& pools) override {
    counts_of(pools.front());
    auto* const block = execute([] {
      auto* const made = static_cast<std::uint64_t*>(std::malloc(words * sizeof(std::uint64_t)));
      for (std::size_t i = 0; i < words; ++i) made[i] = plausible_tag;
      return made;
    });
    TM_BEGIN { std::free(block); } TM_END;
  }

  void run(const Paths& paths) override {
    Pool pool = Pool::open(paths.front());
    Counts& counts = counts_of(pool);
    std::array<std::thread, 2> threads;
    for (std::uint64_t who = 0; who < threads.size(); ++who)
      threads[who] = std::thread([&counts, who] {
        for (std::uint64_t number = 1; number <= 2; ++number) {
          begin(who, number);
          TM_BEGIN { counts[who].value = number; } TM_END;
          acknowledge(who, number);
        }
      });
    for (std::thread& thread : threads) thread.join();
    close(pool);
  }

  void check(Pools& pools, const Notes& notes) override {
    check_closed(pools, notes);
    Counts& counts = counts_of(pools.front());
    for (std::uint64_t who = 0; who < counts.size(); ++who) {
      const std::uint64_t value = execute([&] { return counts[who].value; });
      require(notes.allow(who, value), "thread " + std::to_string(who) + " has counted to " + std::to_string(value));
    }
    require(blocks_in_use(&counts) == 1, "other blocks than the root are in use");
  }

 private:
  static Counts& counts_of(Pool& pool) { return pool.root<Counts>("counts"); }
};

}  // namespace

std::unique_ptr<Workload> make_debris() { return std::make_unique<DebrisWorkload>(); }

}  // namespace perdure::simulate
