#ifndef PERDURE_RECOVER_SETTLE_REPLICAS_H
#define PERDURE_RECOVER_SETTLE_REPLICAS_H

#include "alloc/heap.h"

namespace perdure::recover {

/// Of a pool that was in use when its program ended: if the replicas of its superblocks count (log/replica_set.h),
/// copies them to where they are replicas of; then gives them up. Any library can do so. May be cut short by a crash at
/// any point and is then done again.
/// \returns whether they counted: the last transaction was in them only.
/// \throws PoolError (Kind::damaged).
bool settle_replicas(alloc::Heap& heap);

}  // namespace perdure::recover

#endif
