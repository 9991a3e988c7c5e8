#include "common/program.h"
#include "workload.h"

#include PERDURE_STORE_HEADER

/// db_bench's workloads and YCSB's over a key-value store.
int main(int argc, char** argv) {
  using namespace perdure::benchmarks;
  return Program<stores::Stores<keyvalue::PERDURE_STORE>>::run(argc, argv);
}
