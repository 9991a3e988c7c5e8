#include "common/program.h"
#include "two_lock_queue.h"

/// A linked queue, over libpmemobj with a lock for each end.
int main(int argc, char** argv) {
  using namespace perdure::benchmarks;
  return Program<queue::Queues<fine::TwoLockQueue>>::run(argc, argv);
}
