#include "common/program.h"
#include "hot_counter.h"

#include PERDURE_STORE_HEADER

/// One hot counter in a key-value store, with synchronous writes.
int main(int argc, char** argv) {
  using namespace perdure::benchmarks;
  return Program<keyvalue::HotCounter<keyvalue::PERDURE_STORE>>::run(argc, argv);
}
