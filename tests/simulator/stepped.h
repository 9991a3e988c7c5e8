#ifndef PERDURE_TESTS_SIMULATOR_STEPPED_H
#define PERDURE_TESTS_SIMULATOR_STEPPED_H

#include <cstdint>
#include <string>

#include "alloc/heap.h"
#include "perdure/perdure.h"
#include "simulate/workload.h"

namespace perdure::simulate {

/// The blocks of the pool that `inside` lies in which are in use. Right after recovery, these are those that its mark
/// phase has reached.
std::size_t blocks_in_use(const void* inside);

/// Closes the pool and says so: the next open must find it clean.
void close(Pool& pool);
/// \throws Violation if a pool was closed and is not found clean.
void check_closed(const Pools& pools, const Notes& notes);

/// One thread that takes one step after the other, each a transaction. How many it has taken can be seen in the pool,
/// and everything else follows from that.
template <class Root>
class Stepped : public Workload {
 public:
  void prepare(Pools& pools) override { prepare(root_of(pools.front())); }

  void run(const Paths& paths) override {
    Pool pool = Pool::open(paths.front());
    Root& root = root_of(pool);
    for (std::uint64_t number = 1; number <= steps(); ++number) {
      begin(client, number);
      step(root, number);
      acknowledge(client, number);
    }
    close(pool);
  }

  void check(Pools& pools, const Notes& notes) override {
    check_closed(pools, notes);
    Root& root = root_of(pools.front());
    const std::uint64_t taken = steps_taken(root);
    require(notes.allow(client, taken), std::to_string(taken) + " steps were taken, " +
                                            std::to_string(notes.begun(client)) + " begun, " +
                                            std::to_string(notes.acknowledged(client)) + " acknowledged");
    check(root, taken);
    if (knows_blocks()) check_blocks(root, taken);
    begin(client, taken + 1);
    step(root, taken + 1);
    acknowledge(client, taken + 1);
    require(steps_taken(root) == taken + 1, "a step after recovery had no effect");
    check(root, taken + 1);
  }

 protected:
  static constexpr std::uint64_t client = 1;

  virtual std::uint64_t steps() const { return 3; }
  virtual void prepare(Root&) {}
  virtual void step(Root& root, std::uint64_t number) = 0;
  virtual std::uint64_t steps_taken(Root& root) = 0;
  /// Everything but the number of steps.
  virtual void check(Root&, std::uint64_t /*taken*/) {}
  /// Blocks that the root leads to after so many steps.
  virtual std::size_t blocks(Root&, std::uint64_t /*taken*/) const { return 0; }
  virtual bool knows_blocks() const { return true; }

 private:
  /// Nothing has leaked, and nothing that is reachable was freed.
  void check_blocks(Root& root, std::uint64_t taken) const {
    const std::size_t expected = 1 + blocks(root, taken);
    const std::size_t found = blocks_in_use(&root);
    require(found == expected,
            std::to_string(found) + " blocks are in use, " + std::to_string(expected) + " are reachable");
  }
  static Root& root_of(Pool& pool) { return pool.root<Root>("workload"); }
};

}  // namespace perdure::simulate

#endif
