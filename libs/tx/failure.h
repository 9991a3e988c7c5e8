#ifndef PERDURE_TX_FAILURE_H
#define PERDURE_TX_FAILURE_H

#include "tx/algorithm.h"

namespace perdure::tx {

/// Throws what the caller of a transaction gets when it was rolled back because it cannot commit at all.
/// \throws std::bad_alloc (a pool is full), DurabilityError (its disk has failed), Error (it wrote to a pool that is
/// open for reading, or to several and there is no place for the decision, or did what a pool on a disk cannot; or it
/// is serial and wants to wait). Does not return either if it has called `end_program`.
[[noreturn]] void throw_failure(CommitResult failure);

/// Leaves the body of the calling thread's transaction, which is rolled back, and calls `ending(status)`, which does
/// not return.
[[noreturn]] void end_program(void (*ending)(int), int status);

/// Ends the program: a transaction has come upon the initialisation of a static local variable, which runs another one.
[[noreturn]] void refuse_transaction_in_initialiser();

/// Ends the program: a fiber begins a transaction, and one that has yielded to it is in the middle of another.
[[noreturn]] void refuse_transaction_in_another();

/// Ends the program: a part of a transaction is to be undone that has had code which is not instrumented change an
/// object of the transaction around it.
[[noreturn]] void refuse_undo(const char* place);

/// Ends the program: it wants to wait where nothing is read.
[[noreturn]] void refuse_retry_outside();

/// Throws Error when the calling function's stack lies in a pool.
void require_volatile_stack();

}  // namespace perdure::tx

#endif
