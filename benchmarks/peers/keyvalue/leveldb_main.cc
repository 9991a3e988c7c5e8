#include "common/program.h"
#include "leveldb.h"
#include "telecom.h"

/// TATP over LevelDB, with synchronous writes.
int main(int argc, char** argv) {
  using namespace perdure::benchmarks;
  return Program<keyvalue::Telecom<keyvalue::LevelDb>>::run(argc, argv);
}
