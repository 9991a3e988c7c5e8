#include "common/program.h"
#include "workload.h"

/// Swaps in an array.
int main(int argc, char** argv) {
  return perdure::benchmarks::Program<perdure::benchmarks::sps::Swaps>::run(argc, argv);
}
