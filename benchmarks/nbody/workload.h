#ifndef PERDURE_BENCHMARKS_NBODY_WORKLOAD_H
#define PERDURE_BENCHMARKS_NBODY_WORKLOAD_H

#include <cstdint>

#include "bodies.h"
#include "common/rooted_workload.h"
#include "parameters.h"

namespace perdure::benchmarks::nbody {

/// The root object of the pool.
struct Data {
  Scale scale;
  PopulationState population = PopulationState::empty;
  std::uint64_t steps = 0;
  Bodies bodies;
};

/// One thread that moves the planets.
class Worker {
 public:
  explicit Worker(Data& data) : data_(data) {}

  Outcome step() {
    Data& data = data_;
    TM_BEGIN {
      advance(data.bodies);
      ++data.steps;
    } TM_END;
    return Outcome::committed;
  }

 private:
  Data& data_;
};

/// Many short transactions: each moves five bodies by one step (ATC'20, section 6.4.3, Figure 8).
class Planets : public RootedWorkload<Data, Parameters> {
 public:
  using Worker = nbody::Worker;

  static constexpr const char* name = "nbody";

  Planets(Pool& pool, const Parameters& parameters, std::size_t /*threads*/)
      : RootedWorkload(pool, "nbody", parameters) {}

  void begin_population() {
    RootedWorkload::begin_population();
    const Bodies bodies = first_bodies();
    TM_BEGIN { root_.bodies = bodies; } TM_END;
  }

  void populate(const Share&) {}
  Worker worker(const Share&) { return Worker(root_); }

  /// Whoever took the steps, as many of them without transactions lead to the same places, to the last bit.
  std::vector<std::string> violations() const {
    Bodies bodies = first_bodies();
    for (std::uint64_t step = 0; step < root_.steps; ++step) advance(bodies);
    if (bodies == root_.bodies) return {};
    return {"after " + std::to_string(root_.steps) + " steps the bodies are not where so many steps lead"};
  }
};

}  // namespace perdure::benchmarks::nbody

#endif
