#include "common/program.h"
#include "locked_array.h"

namespace perdure::benchmarks {

template <>
struct sps::Data<fine::LockedArray> {
  peers::Logged<Scale> scale;
  peers::Logged<PopulationState> population;
  fine::LockedArray integers;
};

}  // namespace perdure::benchmarks

/// Swaps in an array, over libpmemobj with locks for stripes of it.
int main(int argc, char** argv) {
  using namespace perdure::benchmarks;
  return Program<sps::SwapsIn<fine::LockedArray>>::run(argc, argv);
}
