#ifndef PERDURE_SIMULATE_ISOLATED_H
#define PERDURE_SIMULATE_ISOLATED_H

#include <memory>
#include <optional>
#include <string>

#include "simulate/explorer.h"

namespace perdure::simulate {

/// What came of an exploration.
struct Verdict {
  Report report;
  std::optional<std::string> violation;  ///< what is wrong, if anything is
  std::string at;                        ///< the case that shows it (simulate/case.h)
  std::vector<Site> sites;               ///< where the program flushed and fenced
};

/// Explores in a process of its own, so that a program that faults, stops or hangs after a crash is a violation, too.
/// \param seconds  after which it counts as hanging.
Verdict explore_isolated(Workload& workload, const Plan& plan, unsigned seconds);

}  // namespace perdure::simulate

#endif
