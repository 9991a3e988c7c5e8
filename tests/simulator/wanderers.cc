// Threads that change from one pool to the other.
#include <array>
#include <thread>

#include "factories.h"
#include "stepped.h"

namespace perdure::simulate {
namespace {

struct alignas(64) Count {
  std::uint64_t value = 0;
};
using Counts = std::array<Count, 2>;

/// Two threads count in two pools, some steps in the one before they go to the other: what a thread leaves behind in a
/// pool, its log above all, the other one takes over.
class WanderersWorkload : public Workload {
  static constexpr std::uint64_t threads = 2;
  static constexpr std::array<std::uint64_t, 4> stays = {3, 4, 1, 2};  // steps in each pool by turns

 public:
  std::size_t pools() const override { return 2; }
  void prepare(Pools& pools) override {
    for (Pool& pool : pools) counts_of(pool);
  }

  void run(const Paths& paths) override {
    Pools pools = open_all(paths);
    std::array<Counts*, 2> counts = {&counts_of(pools[0]), &counts_of(pools[1])};
    std::array<std::thread, threads> started;
    for (std::uint64_t who = 0; who < threads; ++who)
      started[who] = std::thread([&counts, who] { wander(counts, who); });
    for (std::thread& thread : started) thread.join();
    for (Pool& pool : pools) pool.close();
  }

  void check(Pools& pools, const Notes& notes) override {
    for (std::uint64_t pool = 0; pool < 2; ++pool) {
      const Counts& counts = counts_of(pools[pool]);
      for (std::uint64_t who = 0; who < threads; ++who) {
        const std::uint64_t value = execute([&] { return counts[who].value; });
        require(notes.allow(client(who, pool), value), "an acknowledged step is missing");
      }
    }
  }

 private:
  static Counts& counts_of(Pool& pool) { return pool.root<Counts>("counts"); }
  static std::uint64_t client(std::uint64_t who, std::uint64_t pool) { return 2 * who + pool; }

  /// The second thread begins where the first one goes next.
  static void wander(const std::array<Counts*, 2>& counts, std::uint64_t who) {
    std::array<std::uint64_t, 2> done{};
    for (std::size_t stay = 0; stay < stays.size(); ++stay) {
      const std::uint64_t pool = (who + stay) % 2;
      // Not by way of `counts` in the transaction: whoever reads memory outside of pools is waited for at commits.
      std::uint64_t& count = (*counts[pool])[who].value;
      for (std::uint64_t step = 0; step < stays[stay]; ++step) {
        const std::uint64_t number = ++done[pool];
        begin(client(who, pool), number);
        TM_BEGIN { count = number; } TM_END;
        acknowledge(client(who, pool), number);
      }
    }
  }
};

}  // namespace

std::unique_ptr<Workload> make_wanderers() { return std::make_unique<WanderersWorkload>(); }

}  // namespace perdure::simulate
