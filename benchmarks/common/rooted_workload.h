#ifndef PERDURE_BENCHMARKS_ROOTED_WORKLOAD_H
#define PERDURE_BENCHMARKS_ROOTED_WORKLOAD_H

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "perdure/transaction.h"
#include "workload.h"

namespace perdure::benchmarks {

/// How far the data of a pool has come. Kept in the pool, so that half a population is not taken for a whole one.
enum class PopulationState : std::uint32_t { empty, begun, complete };

/// What workloads share whose data hangs on one root object.
/// \tparam Root  has the members `scale`, what the pool was populated with, and `population`, a PopulationState.
/// \tparam P     the workload's Parameters, with a `scale` of the same type.
template <class Root, class P>
class RootedWorkload {
 public:
  using Parameters = P;

  const Parameters& parameters() const { return parameters_; }
  bool is_populated() const { return root_.population == PopulationState::complete; }

  void begin_population() {
    TM_BEGIN {
      root_.scale = parameters_.scale;
      root_.population = PopulationState::begun;
    } TM_END;
  }

  void finish_population() {
    TM_BEGIN { root_.population = PopulationState::complete; } TM_END;
  }

 protected:
  /// Finds or makes the root `name`. The scale of a populated pool replaces that of the parameters.
  RootedWorkload(Pool& pool, const char* name, const Parameters& parameters)
      : root_(pool.root<Root>(name)), parameters_(parameters) {
    if (root_.population == PopulationState::begun) {
      throw std::runtime_error(pool.path().string() +
                               ": the run that made the pool ended before its data was complete; remove the file");
    }
    if (is_populated()) parameters_.scale = root_.scale;
  }

  Root& root_;
  Parameters parameters_;
};

/// Calls `fill(begin, end)` for the items of a share of `total`, `batch` at a time.
template <class Fill>
void for_each_batch(const Share& share, std::size_t total, std::size_t batch, Fill fill) {
  for (auto begin = share.begin(total); begin < share.end(total); begin += batch) {
    fill(begin, std::min(begin + batch, share.end(total)));
  }
}

/// Adds a violation unless both are the same.
template <class Found, class Expected>
void expect_equal(std::vector<std::string>& violations, const std::string& what, Found found, const std::string& other,
                  Expected expected) {
  if (std::cmp_equal(found, expected)) return;
  violations.push_back(what + " is " + std::to_string(found) + ", but " + other + " is " + std::to_string(expected));
}

}  // namespace perdure::benchmarks

#endif
