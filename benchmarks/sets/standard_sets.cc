#include "standard_sets.h"

#include "common/program.h"
#include "structures.h"
#include "workload.h"

namespace perdure::benchmarks::sets {

int run_standard_set(int argc, char** argv) { return Program<Sets<StandardSet>>::run(argc, argv); }

int run_standard_unordered_set(int argc, char** argv) { return Program<Sets<StandardUnorderedSet>>::run(argc, argv); }

}  // namespace perdure::benchmarks::sets
