#include "simulate/workload.h"

namespace perdure::simulate {

Pools open_all(const Paths& paths) {
  Pools pools;
  for (const auto& path : paths) pools.push_back(Pool::open(path));
  return pools;
}

void Workload::recover_and_check(const Paths& paths, const Notes& notes) {
  Pools pools = open_all(paths);
  check(pools, notes);
  for (Pool& pool : pools) pool.close();
}

}  // namespace perdure::simulate
