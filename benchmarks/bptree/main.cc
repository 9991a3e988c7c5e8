#include "common/program.h"
#include "workload.h"

/// Operations on one B+ tree.
int main(int argc, char** argv) {
  return perdure::benchmarks::Program<perdure::benchmarks::bptree::Tree>::run(argc, argv);
}
