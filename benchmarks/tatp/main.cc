#include "common/program.h"
#include "workload.h"

/// The Telecommunication Application Transaction Processing benchmark.
int main(int argc, char** argv) {
  return perdure::benchmarks::Program<perdure::benchmarks::tatp::Telecom>::run(argc, argv);
}
