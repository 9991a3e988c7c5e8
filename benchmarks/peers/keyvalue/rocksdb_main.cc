#include "common/program.h"
#include "network.h"
#include "rocksdb.h"
#include "telecom/telecom.h"

/// TATP over RocksDB, with synchronous writes.
int main(int argc, char** argv) {
  using namespace perdure::benchmarks;
  return Program<telecom::Telecom<keyvalue::Network<keyvalue::RocksDb>>>::run(argc, argv);
}
