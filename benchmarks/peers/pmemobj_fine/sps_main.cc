#include "common/program.h"
#include "locked_array.h"

/// Swaps in an array, over libpmemobj with locks for stripes of it.
int main(int argc, char** argv) {
  using namespace perdure::benchmarks;
  return Program<sps::SwapsIn<fine::LockedArray>>::run(argc, argv);
}
