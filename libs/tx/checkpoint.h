#ifndef PERDURE_TX_CHECKPOINT_H
#define PERDURE_TX_CHECKPOINT_H

#include <csetjmp>
#include <cstdint>

#include "persist/sanitizers.h"

namespace perdure::tx {

/// Where a transaction goes back to when it aborts: the stack and the callee-saved registers as they were before its
/// body was called. (PACT'19, section III: the snapshot that Begin takes.)
///
/// The body runs in a call of its own, so to the compiler a checkpoint is an ordinary function that returns once; none
/// of the care that `setjmp` needs falls on the caller.
struct Checkpoint {
  void* stack_pointer = nullptr;
#ifdef PERDURE_THREAD_SANITIZER
  jmp_buf buffer{};  // ThreadSanitizer keeps a stack of its own and knows only setjmp and longjmp
  int result = 0;
#endif
};

extern "C" {
/// Calls `body(closure)`. \returns 0 when the body returns, or what `perdure_restore` was given. Exceptions pass
/// through.
int perdure_call_with_checkpoint(Checkpoint* checkpoint, void (*body)(void*), void* closure);

/// What the call that set `checkpoint`, and has not returned, returns when the body does, instead of 0.
void perdure_set_result(Checkpoint* checkpoint, int result);

/// Leaves the body without unwinding it: the call that set `checkpoint` returns `result`, not 0.
[[noreturn]] void perdure_restore(Checkpoint* checkpoint, int result);
}

}  // namespace perdure::tx

#endif
