#ifndef PERDURE_TESTS_SIMULATOR_OPTIONS_H
#define PERDURE_TESTS_SIMULATOR_OPTIONS_H

#include <optional>
#include <string>

#include "simulate/case.h"

namespace perdure::simulate {

/// The command line of the test programs, besides GoogleTest's.
struct Options {
  std::optional<Case> replay;  ///< --replay=<case>: only this crash, in this process, so that a debugger can look at it
  unsigned seconds = 300;      ///< --seconds=<n>: for one exploration
  unsigned schedules = 10;     ///< --schedules=<n>: interleavings of threads
  unsigned samples = 300;      ///< --samples=<n>: crash states to draw of each of the longer workloads
  bool sites = false;          ///< --sites: print where flushes and fences were of no use
  bool all = false;            ///< --all: nothing left out to save time
  unsigned depth = 2;          ///< --depth=<n>: crashes of the recovery from crashes, and so on
};

const Options& options();

/// The command that runs only the running test, and in it only that case.
std::string replay_command(const std::string& at);

/// Defined by each test program: registers the tests that are not known when it is compiled.
void register_tests();

}  // namespace perdure::simulate

#endif
