#include "common/program.h"
#include "workload.h"

/// Trees that come and go, and blocks that replace each other.
int main(int argc, char** argv) {
  return perdure::benchmarks::Program<perdure::benchmarks::allocation::Allocation>::run(argc, argv);
}
