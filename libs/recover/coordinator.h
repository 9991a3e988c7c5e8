#ifndef PERDURE_RECOVER_COORDINATOR_H
#define PERDURE_RECOVER_COORDINATOR_H

#include "alloc/heap.h"
#include "log/preparation.h"

/// Who decided, and who has to know: what the pools of a transaction over several pools must know of each other when
/// one of them is opened after a crash.
namespace perdure::recover {

/// Whether the transaction was decided that prepared a log in this pool; durably, then: who goes by it changes data.
/// Looks into the coordinator: this pool, one that is open in this process, or a file where the coordinator was, or in
/// the folder of this pool or in that one.
/// \throws PoolError (Kind::pool_missing) when the coordinator cannot be found.
bool is_decided(alloc::Heap& heap, const log::Preparation& preparation);

/// The pool has been opened for writing, and a new run of it has begun: others may ask it for decisions, and their
/// decisions need not be kept for it any more. Frees those that need not be kept for anybody.
/// \param may_hold_decisions  it has had a part in a transaction over several pools before.
void enter_pool(alloc::Heap& heap, bool may_hold_decisions);

/// It is about to be closed.
void leave_pool(alloc::Heap& heap);

}  // namespace perdure::recover

#endif
