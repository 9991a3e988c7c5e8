#ifndef PERDURE_BENCHMARKS_COUNTER_WORKLOAD_H
#define PERDURE_BENCHMARKS_COUNTER_WORKLOAD_H

#include <cstdint>

#include "common/local_count.h"
#include "common/rooted_workload.h"
#include "parameters.h"

namespace perdure::benchmarks::counter {

/// The root object of the pool.
struct Data {
  Scale scale;
  PopulationState population = PopulationState::empty;
  alignas(64) std::uint64_t value = 0;
};

class Worker {
 public:
  Worker(std::uint64_t& value, LocalCount::Total& total) : value_(value), added_(total) {}

  Outcome step() {
    auto& value = value_;
    TM_BEGIN { ++value; } TM_END;
    added_ += 1;
    return Outcome::committed;
  }

 private:
  std::uint64_t& value_;
  LocalCount added_;
};

/// One word that all threads increment: every transaction conflicts with every other.
class Counter : public RootedWorkload<Data, Parameters> {
 public:
  using Worker = counter::Worker;

  static constexpr const char* name = "counter";

  Counter(Pool& pool, const Parameters& parameters, std::size_t /*threads*/)
      : RootedWorkload(pool, "counter", parameters), added_(static_cast<std::int64_t>(root_.value)) {}

  void populate(const Share&) {}
  Worker worker(const Share&) { return Worker(root_.value, added_); }

  std::vector<std::string> violations() const {
    std::vector<std::string> found;
    expect_equal(found, "the counter", root_.value, "the number of increments", added_.load());
    return found;
  }

 private:
  LocalCount::Total added_;
};

}  // namespace perdure::benchmarks::counter

#endif
