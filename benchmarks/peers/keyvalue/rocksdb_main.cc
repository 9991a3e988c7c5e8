#include "common/program.h"
#include "rocksdb.h"
#include "telecom.h"

/// TATP over RocksDB, with synchronous writes.
int main(int argc, char** argv) {
  using namespace perdure::benchmarks;
  return Program<keyvalue::Telecom<keyvalue::RocksDb>>::run(argc, argv);
}
