// Disk space that is given back, taken again, and cut off.
#include <cstdlib>

#include "factories.h"
#include "stepped.h"

namespace perdure::simulate {
namespace {

struct Large {
  std::uint64_t stage;  // that made it
};

struct Space {
  Large* low = nullptr;
  Large* high = nullptr;
  std::uint64_t stage = 0;
};

/// Between the stages the pool is closed: then what was freed is free, its space is given back, and the file is cut.
class SpaceWorkload : public Workload {
 public:
  void prepare(Pools& pools) override { root_of(pools.front()); }

  void run(const Paths& paths) override {
    for (std::uint64_t stage = 1; stage <= stages; ++stage) {
      Pool pool = Pool::open(paths.front());
      Space& root = root_of(pool);
      begin(1, stage);
      enter(root, stage);
      acknowledge(1, stage);
      pool.close();
    }
  }

  void check(Pools& pools, const Notes& notes) override {
    Space& root = root_of(pools.front());
    const std::uint64_t stage = execute([&] { return root.stage; });
    require(notes.allow(1, stage), "stage " + std::to_string(stage) + " was not to be seen");
    check_blocks(root, stage);
    check_count(root, stage);
    if (stage == stages) return;
    begin(1, stage + 1);
    enter(root, stage + 1);
    acknowledge(1, stage + 1);
    check_blocks(root, stage + 1);
  }

 private:
  static constexpr std::uint64_t stages = 5;
  static constexpr std::size_t low_bytes = 600 * 1024;
  static constexpr std::size_t high_bytes = 170 * 1024;    // behind it: the file grows
  static constexpr std::size_t grown_bytes = 1300 * 1024;  // more than is left after the file was cut

  static Space& root_of(Pool& pool) { return pool.root<Space>("space"); }

  static void make(Large*& place, std::size_t bytes, std::uint64_t stage) {
    place = static_cast<Large*>(std::malloc(bytes));
    place->stage = stage;
  }
  static void drop(Large*& place) {
    std::free(place);
    place = nullptr;
  }

  static void enter(Space& root, std::uint64_t stage) {
    TM_BEGIN {
      if (stage == 1) {
        make(root.low, low_bytes, stage);
        make(root.high, high_bytes, stage);
      }
      if (stage == 2) drop(root.low);                    // a hole, and a tail that is cut
      if (stage == 3) make(root.low, low_bytes, stage);  // over the hole
      if (stage == 4) {
        drop(root.low);
        drop(root.high);
      }
      if (stage == 5) make(root.high, grown_bytes, stage);  // where the file was cut
      root.stage = stage;
    } TM_END;
  }

  static void check_blocks(Space& root, std::uint64_t stage) {
    const std::uint64_t low = stage == 1 || stage == 3 ? stage : 0;
    const std::uint64_t high = stage == 5 ? 5 : stage == 0 || stage == 4 ? 0 : 1;
    require(holds(root.low, low) && holds(root.high, high), "a large block is not there, or holds something else");
  }
  /// Right after recovery; later, what was freed waits for a close.
  static void check_count(Space& root, std::uint64_t stage) {
    constexpr std::size_t expected[] = {1, 3, 2, 3, 1, 2};
    require(blocks_in_use(&root) == expected[stage],
            std::to_string(blocks_in_use(&root)) + " blocks are in use, not " + std::to_string(expected[stage]));
  }
  static bool holds(const Large* block, std::uint64_t stage) {
    return (block != nullptr) == (stage != 0) && (block == nullptr || block->stage == stage);
  }
};

}  // namespace

std::unique_ptr<Workload> make_space() { return std::make_unique<SpaceWorkload>(); }

}  // namespace perdure::simulate
