#include "common/program.h"
#include "leveldb.h"
#include "network.h"
#include "telecom/telecom.h"

/// TATP over LevelDB, with synchronous writes.
int main(int argc, char** argv) {
  using namespace perdure::benchmarks;
  return Program<telecom::Telecom<keyvalue::Network<keyvalue::LevelDb>>>::run(argc, argv);
}
