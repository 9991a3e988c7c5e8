#include "common/program.h"
#include "hash_index.h"
#include "workload.h"

/// TPC-C's New Order over hash tables.
int main(int argc, char** argv) {
  using namespace perdure::benchmarks;
  return Program<tpcc::NewOrderWorkload<tpcc::HashIndex>>::run(argc, argv);
}
