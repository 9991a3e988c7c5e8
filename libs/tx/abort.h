#ifndef PERDURE_TX_ABORT_H
#define PERDURE_TX_ABORT_H

#include "tx/algorithm.h"
#include "tx/checkpoint.h"

namespace perdure::tx {

/// The calling thread's checkpoint: there is one, since nesting is flat.
inline thread_local constinit Checkpoint checkpoint;

/// Why a body was left, as what perdure_call_with_checkpoint returns; 0 is a body that returned.
constexpr int checkpoint_result(CommitResult reason) { return 1 + static_cast<int>(reason); }
/// The body returned, and what it has registered is to be done after the commit.
inline constexpr int has_handlers = -1;
constexpr CommitResult reason_of(int checkpoint_result) { return static_cast<CommitResult>(checkpoint_result - 1); }

/// Leaves the body of the calling thread's transaction, which is then rolled back and, after a conflict, run again; a
/// failure is thrown to the caller. Destructors of the body's objects do not run: what they would undo is rolled back
/// anyway.
[[noreturn]] inline void abort(CommitResult reason) { perdure_restore(&checkpoint, checkpoint_result(reason)); }

}  // namespace perdure::tx

#endif
