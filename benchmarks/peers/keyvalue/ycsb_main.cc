#include "common/program.h"
#include "records.h"

#include PERDURE_STORE_HEADER

/// YCSB's core workloads A and F over a key-value store, with synchronous writes.
int main(int argc, char** argv) {
  using namespace perdure::benchmarks;
  return Program<keyvalue::Records<keyvalue::PERDURE_STORE>>::run(argc, argv);
}
