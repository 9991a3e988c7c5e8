#include "common/program.h"
#include "tatp_network.h"
#include "telecom/telecom.h"

/// TATP over libpmemobj, with locks for its subscribers.
int main(int argc, char** argv) {
  using namespace perdure::benchmarks;
  return Program<telecom::Telecom<fine::TatpNetwork>>::run(argc, argv);
}
