#include "common/program.h"
#include "queue/workload.h"
#include "two_lock_queue.h"

namespace perdure::benchmarks {

template <>
struct queue::Data<fine::TwoLockQueue> {
  peers::Logged<Scale> scale;
  peers::Logged<PopulationState> population;
  fine::TwoLockQueue queue;
};

}  // namespace perdure::benchmarks

/// A linked queue, over libpmemobj with a lock for each end.
int main(int argc, char** argv) {
  using namespace perdure::benchmarks;
  return Program<queue::Queues<fine::TwoLockQueue>>::run(argc, argv);
}
