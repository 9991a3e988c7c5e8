#ifndef PERDURE_BENCHMARKS_SCALE_SIMULATION_H
#define PERDURE_BENCHMARKS_SCALE_SIMULATION_H

#include <string>
#include <vector>

#include "workload.h"

namespace perdure::scale {

/// Where the threads spend their time, in nanoseconds for each transaction that commits.
struct TimeSpent {
  Time running = 0;     ///< begin and body
  Time committing = 0;  ///< until what is written can be read; with a redo log, that is when locks are released
  Time retiring = 0;    ///< flushing the data and retiring the record behind that (deferred flushing)
  Time waiting = 0;     ///< for others who were running: quiescence
  Time in_vain = 0;     ///< attempts that abort, and what is waited before others
};

struct Outcome {
  double transactions_per_second = 0;
  double aborts_per_commit = 0;
  double hourglass_turns_per_commit = 0;
  TimeSpent spent;
};

/// What is simulated: the behaviour of a library on so many cores, one for each thread.
struct Experiment {
  std::string algorithm;  ///< as in algorithms/libraries.json; `lock` is `lock_eager`
  std::string mode;
  unsigned threads = 1;  ///< at most the streams of the trace, and most_threads
  Time duration = 1e6;   ///< simulated; the first fifth is not counted
  std::uint64_t seed = 1;
  bool published_retirement = false;  ///< each thread retires its record when it likes: can lose transactions
};

/// Runs the transactions of the trace: each thread those of its share of the streams, in a circle.
/// \throws std::invalid_argument for an algorithm or mode that is not modelled, or more threads than streams.
Outcome simulate(const Experiment& experiment, const std::vector<Stream>& streams, const Costs& costs);

}  // namespace perdure::scale

#endif
