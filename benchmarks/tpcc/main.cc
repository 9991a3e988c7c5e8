#include "common/program.h"
#include "structures/hash_index.h"
#include "structures/tree_index.h"
#include "workload.h"

/// TPC-C's New Order over hash tables or B+ trees.
int main(int argc, char** argv) {
  using namespace perdure::benchmarks;
  if (find_option(argc, argv, "--index") == "tree") return Program<tpcc::NewOrderWorkload<TreeIndex>>::run(argc, argv);
  return Program<tpcc::NewOrderWorkload<HashIndex>>::run(argc, argv);
}
