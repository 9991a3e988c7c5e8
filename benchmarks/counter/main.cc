#include "common/program.h"
#include "workload.h"

/// One hot counter.
int main(int argc, char** argv) {
  return perdure::benchmarks::Program<perdure::benchmarks::counter::Counter>::run(argc, argv);
}
