#include "common/program.h"
#include "network.h"
#include "telecom/telecom.h"

#include PERDURE_STORE_HEADER

/// TATP over a key-value store, with synchronous writes.
int main(int argc, char** argv) {
  using namespace perdure::benchmarks;
  return Program<telecom::Telecom<keyvalue::Network<keyvalue::PERDURE_STORE>>>::run(argc, argv);
}
