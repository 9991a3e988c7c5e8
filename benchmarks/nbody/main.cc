#include "common/program.h"
#include "workload.h"

/// Planets on their orbits.
int main(int argc, char** argv) {
  return perdure::benchmarks::Program<perdure::benchmarks::nbody::Planets>::run(argc, argv);
}
