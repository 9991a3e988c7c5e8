#include "common/program.h"
#include "workload.h"

/// All permutations of an array.
int main(int argc, char** argv) {
  return perdure::benchmarks::Program<perdure::benchmarks::fannkuch::Fannkuch>::run(argc, argv);
}
