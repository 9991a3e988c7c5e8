#include "common/program.h"
#include "workload.h"

/// A travel agency, after STAMP's vacation.
int main(int argc, char** argv) {
  return perdure::benchmarks::Program<perdure::benchmarks::vacation::Agency>::run(argc, argv);
}
