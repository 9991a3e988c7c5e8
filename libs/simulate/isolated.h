#ifndef PERDURE_SIMULATE_ISOLATED_H
#define PERDURE_SIMULATE_ISOLATED_H

#include <sys/types.h>

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

/// What the program prints while it is explored.
enum class Output : std::uint8_t { shown, hidden };

/// Explores in a process of its own, so that a program that faults, stops or hangs after a crash is a violation, too.
/// \param seconds  after which a single run of the workload or of its check counts as hanging.
Verdict explore_isolated(Workload& workload, const Plan& plan, unsigned seconds, Output output = Output::shown);

/// What the program prints from now on is lost.
void hide_output();
/// Of a process that has ended with that status, which should not have.
std::string describe_end(int status);

/// A folder in memory for the pools of a process. Its name is as long for every process: what is over several pools
/// keeps their paths in them, and a case must come to the same events when another process replays it.
std::filesystem::path pool_directory(pid_t process);

}  // namespace perdure::simulate

#endif
