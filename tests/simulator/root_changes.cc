// A workload that makes, renames and removes roots.
#include <algorithm>
#include <array>

#include "factories.h"
#include "stepped.h"

namespace perdure::simulate {
namespace {

/// Two blocks: the root's object, and one that it owns.
struct Owner {
  std::uint64_t* owned = new std::uint64_t(7);

  Owner() = default;
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  ~Owner() { delete owned; }
};

/// After each step there are roots by other names than after any other step.
class RootChangesWorkload : public Workload {
 public:
  void run(const Paths& paths) override {
    Pool pool = Pool::open(paths.front());
    for (std::uint64_t number = 1; number < after_steps.size(); ++number) {
      begin(1, number);
      step(pool, number);
      acknowledge(1, number);
    }
    close(pool);
  }

  void check(Pools& pools, const Notes& notes) override {
    check_closed(pools, notes);
    Pool& pool = pools.front();
    const std::uint64_t taken = steps_taken(pool);
    require(notes.allow(1, taken), "the roots after step " + std::to_string(taken) + " were not to be seen");
    require(blocks_in_use(alloc::current_heap()->mapping().base()) == 2 * pool.list_roots().size(),
            "other blocks are in use than the roots' own");
    for (const roots::RootInfo& root : pool.list_roots())
      require(*pool.root<Owner>(root.name).owned == 7, "a root is not as it was made");
    if (taken + 1 == after_steps.size()) return;
    begin(1, taken + 1);
    step(pool, taken + 1);
    acknowledge(1, taken + 1);
    require(steps_taken(pool) == taken + 1, "a step after recovery had no effect");
  }

 private:
  static constexpr std::array<std::string_view, 6> after_steps = {"", "a", "b", "bc", "c", "d"};

  static void step(Pool& pool, std::uint64_t number) {
    if (number == 1) pool.root<Owner>("a");
    if (number == 2) pool.rename_root("a", "b");
    if (number == 3) pool.root<Owner>("c");
    if (number == 4) pool.remove_root<Owner>("b");
    if (number == 5) pool.rename_root("c", "d");
  }

  static std::uint64_t steps_taken(const Pool& pool) {
    std::string names;
    for (const roots::RootInfo& root : pool.list_roots()) names += root.name;
    std::ranges::sort(names);
    const auto found = std::ranges::find(after_steps, names);
    require(found != after_steps.end(), "there are roots '" + names + "', as after no step");
    return static_cast<std::uint64_t>(found - after_steps.begin());
  }
};

}  // namespace

std::unique_ptr<Workload> make_root_changes() { return std::make_unique<RootChangesWorkload>(); }

}  // namespace perdure::simulate
