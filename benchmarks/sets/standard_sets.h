#ifndef PERDURE_BENCHMARKS_SETS_STANDARD_SETS_H
#define PERDURE_BENCHMARKS_SETS_STANDARD_SETS_H

namespace perdure::benchmarks::sets {

// The benchmark over sets of the standard library, in a file of their own: they call functions in its shared object,
// which not every peer can instrument (benchmarks/peers/libitm).
int run_standard_set(int argc, char** argv);
int run_standard_unordered_set(int argc, char** argv);

}  // namespace perdure::benchmarks::sets

#endif
