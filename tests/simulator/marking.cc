// Transactions beside the mark that follows a crash, and crashes meanwhile. The mark takes its steps between them, so
// that nothing is left to chance.
#include <array>
#include <utility>

#include "factories.h"
#include "open/open_pool.h"
#include "stepped.h"

namespace perdure::simulate {
namespace {

struct Leaf {
  std::uint64_t number;
  std::uint64_t check;
};

constexpr std::uint64_t check_of(std::uint64_t number) { return ~number * 3; }

/// Each holder is a block of its own, so that the mark can be between them.
struct Holder {
  std::array<Leaf*, 2> leaves{};
};

struct Holders {
  std::array<Holder*, 3> holders{};
  std::byte* large = nullptr;
  std::uint64_t steps = 0;
};

constexpr std::size_t large_bytes = 100'000;

class MarkingWorkload : public Workload {
 public:
  void prepare(Pools& pools) override {
    Holders& root = pools.front().root<Holders>("workload");
    TM_BEGIN {
      std::uint64_t number = 0;
      for (Holder*& holder : root.holders) {
        holder = new Holder;
        for (Leaf*& leaf : holder->leaves) leaf = make_leaf(number++);
      }
    } TM_END;
  }

  void run(const Paths& paths) override {
    Pool pool = Pool::open(paths.front());
    Holders& root = pool.root<Holders>("workload");
    for (std::uint64_t number = 1; number <= 3; ++number) take_step(root, number);
  }

  /// The mark is stopped somewhere else after each step that the crash has left.
  void recover_and_check(const Paths& paths, const Notes& notes) override {
    opening::OpenPool pool(paths.front(), {}, opening::Marking::by_hand);
    Holders& root = roots::find_or_make<Holders>(pool.root_table(), "workload");
    const std::uint64_t taken = execute([&] { return root.steps; });
    require(notes.allow(client, taken), "steps are missing, or there are too many");
    // Some libraries do not let transactions run beside it.
    if (alloc::Mark* const mark = pool.heap().mark(); mark != nullptr && !mark->is_over())
      step_beside(*mark, root, taken);
    else
      take_step(root, taken + 1);
    check(pool.heap(), root);
  }

 private:
  static constexpr std::uint64_t client = 1;

  static void step_beside(alloc::Mark& mark, Holders& root, std::uint64_t taken) {
    constexpr std::uint64_t ranges = 11;
    alloc::Marker marker(mark);
    for (std::uint64_t i = 0; i < taken * 5 % ranges; ++i) marker.step();
    take_step(root, taken + 1);
    marker.step();
    take_step(root, taken + 2);
    marker.run();
    mark.sweep();
    take_step(root, taken + 3);
  }

  static void take_step(Holders& root, std::uint64_t number) {
    begin(client, number);
    TM_BEGIN { change(root, number); } TM_END;
    acknowledge(client, number);
  }

  /// Leaves change places, one is made anew, and so is the large block.
  static void change(Holders& root, std::uint64_t number) {
    Holder& first = *root.holders[0];
    Holder& last = *root.holders[2];
    Leaf* const moved = first.leaves[number % 2];
    first.leaves[number % 2] = last.leaves[0];
    last.leaves[0] = moved;
    Leaf*& replaced = root.holders[1]->leaves[number % 2];
    Leaf* const made = make_leaf(replaced->number);
    delete replaced;
    replaced = made;
    delete[] root.large;
    root.large = new std::byte[large_bytes];
    root.steps = number;
  }

  static Leaf* make_leaf(std::uint64_t number) { return new Leaf{number, check_of(number)}; }

  static void check(const alloc::Heap& heap, const Holders& root) {
    std::uint64_t found = 0;
    for (const Holder* const holder : root.holders) {
      require(heap.is_block(holder), "a holder is not in use");
      for (const Leaf* const leaf : holder->leaves) {
        require(heap.is_block(leaf), "a leaf is not in use");
        require(leaf->check == check_of(leaf->number), "a leaf has been overwritten");
        found |= std::uint64_t{1} << leaf->number;
      }
    }
    require(found == 63, "a leaf is missing");
    require(heap.is_block(root.large), "the large block is not in use");
  }
};

}  // namespace

std::unique_ptr<Workload> make_marking() { return std::make_unique<MarkingWorkload>(); }

}  // namespace perdure::simulate
