#ifndef PERDURE_TX_ABORT_H
#define PERDURE_TX_ABORT_H

#include "stats/counters.h"
#include "tx/checkpoint.h"

namespace perdure::tx {

/// The calling thread's checkpoint: there is one, since nesting is flat.
inline thread_local constinit Checkpoint checkpoint;

/// What perdure_call_with_checkpoint returns for a body that was left by `abort`; 0 is a body that returned.
constexpr int checkpoint_result(stats::AbortReason reason) { return 1 + static_cast<int>(reason); }
constexpr stats::AbortReason abort_reason(int result) { return static_cast<stats::AbortReason>(result - 1); }

/// Leaves the body of the calling thread's transaction, which is then rolled back and run again. Destructors of the
/// body's objects do not run: what they would undo is rolled back anyway.
[[noreturn]] inline void abort(stats::AbortReason reason) { perdure_restore(&checkpoint, checkpoint_result(reason)); }

}  // namespace perdure::tx

#endif
