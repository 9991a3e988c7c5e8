#ifndef PERDURE_ALGORITHMS_WRITTEN_POOL_H
#define PERDURE_ALGORITHMS_WRITTEN_POOL_H

#include "alloc/heap.h"
#include "pool/fork.h"
#include "pool/slots.h"
#include "tx/abort.h"
#include "tx/algorithm.h"

namespace perdure::algorithms {

/// The heap of the pool that holds `address`, for a transaction that is about to write there. Leaves by `abort` where
/// it may not; where the pool is closed, the program ends.
inline alloc::Heap& heap_to_write(const void* address) {
  if (pool::is_forked_child()) tx::abort(tx::CommitResult::pool_of_parent);
  alloc::Heap* const heap = alloc::heap_of(address);
  if (heap == nullptr) pool::stop_at_closed_pool(address);
  if (heap->mapping().read_only()) tx::abort(tx::CommitResult::read_only_pool);
  return *heap;
}

}  // namespace perdure::algorithms

#endif
