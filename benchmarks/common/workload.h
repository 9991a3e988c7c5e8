#ifndef PERDURE_BENCHMARKS_WORKLOAD_H
#define PERDURE_BENCHMARKS_WORKLOAD_H

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/pool.h"

namespace CLI {
class App;
}

namespace perdure::benchmarks {

/// One thread's part of a job that `count` threads do together.
struct Share {
  std::size_t index;
  std::size_t count;
  std::uint64_t seed;

  /// The first of the items [0, total) that belong to this share; the next share's first is where it ends.
  std::size_t begin(std::size_t total) const { return total * index / count; }
  std::size_t end(std::size_t total) const { return total * (index + 1) / count; }
};

/// What became of one step of a worker.
enum class Outcome {
  committed,
  rolled_back  ///< by an exception that the workload asked for
};

/// What can be measured (measure.h).
template <class W>
concept HasWorkers = requires(W workload, const Share& share, typename W::Worker& worker) {
  { workload.worker(share) } -> std::same_as<typename W::Worker>;
  { worker.step() } -> std::same_as<Outcome>;
};

/// What a benchmark must offer; the front end (program.h) does the rest.
///
/// - `Parameters` is a plain struct with `static Parameters preset(name)`, `static presets()`, `add_options(app)` and
///   `describe()` ("warehouses=1 items=100000").
/// - The constructor finds or makes the data's root in the pool, and throws if the pool holds data that was never
///   completed; `parameters` are those in effect: what depends on the threads, or is fixed by the pool, filled in.
/// - `begin_population` prepares the pool, `populate` fills it on every thread at once, `finish_population` marks it
///   complete; all in transactions. A pool that `is_populated` is used as it is.
/// - A `Worker` lives on the stack of its thread, and each `step` runs one transaction. Ideal mode depends on that: its
///   transactions may touch pool memory and the thread's own stack only.
/// - Where more threads run than are asked for, `running_threads(threads)`, of the workload or its parameters, says how
///   many.
/// - What opens by itself, and not with the pool, says with `opened_after` how long that took.
/// - A worker that has several things under way says with `begun` when that was begun which the last step has ended.
/// - `violations` says, one a line, which of the data's invariants are broken. It runs alone, outside transactions, at
///   the end of every run and after `--reopen`.
template <class W>
concept Workload =
    HasWorkers<W> && requires(W workload, const W constant, Pool& pool, const typename W::Parameters& parameters,
                              typename W::Parameters changeable, CLI::App& app, const Share& share) {
      { W::name } -> std::convertible_to<std::string_view>;
      { W::Parameters::presets() } -> std::same_as<std::vector<std::string>>;
      { W::Parameters::preset(std::string()) } -> std::same_as<typename W::Parameters>;
      changeable.add_options(app);
      { parameters.describe() } -> std::same_as<std::string>;
      W(pool, parameters, std::size_t{1});
      { constant.parameters() } -> std::convertible_to<const typename W::Parameters&>;
      { constant.is_populated() } -> std::same_as<bool>;
      workload.begin_population();
      workload.populate(share);
      workload.finish_population();
      { constant.violations() } -> std::same_as<std::vector<std::string>>;
    };

}  // namespace perdure::benchmarks

#endif
