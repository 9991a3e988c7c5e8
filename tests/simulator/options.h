#ifndef PERDURE_TESTS_SIMULATOR_OPTIONS_H
#define PERDURE_TESTS_SIMULATOR_OPTIONS_H

#include <string>

#include "simulate/options.h"

namespace perdure::simulate {

/// The command line of the test programs, besides GoogleTest's and --copies=<n>: of what libraries with replicas write.
struct TestOptions : Options {
  TestOptions() {
    depth = 2;
    samples = 300;
  }
  bool sites = false;  ///< --sites: print where flushes and fences were of no use
  bool all = false;    ///< --all: nothing left out to save time
};

const TestOptions& options();

/// The command that runs only the running test, and in it only that case.
std::string replay_command(const std::string& at);

/// Defined by each test program: registers the tests that are not known when it is compiled.
void register_tests();

}  // namespace perdure::simulate

#endif
