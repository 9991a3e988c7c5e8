#ifndef PERDURE_WAITING_H
#define PERDURE_WAITING_H

/// What programs in C++ (perdure/retry.h, perdure/nested.h) and in C (perdure/c.h) have in common.
#include <stdint.h>

#include "perdure/attributes.h"

#ifdef __cplusplus
extern "C" {
#endif
// NOLINTBEGIN(modernize-use-using,readability-identifier-naming,modernize-redundant-void-arg): this is C

/// Runs `body(argument)` as a part of the running transaction that can be undone alone: it is when it returns something
/// other than 0, and nothing else is. The body must be a function that is defined in this file. Outside of transactions
/// it is a transaction of its own.
/// \returns what the body returned; PERDURE_RETRIED (-26) when it has called perdure_retry, which the caller may call
/// again to pass it on.
int perdure_nested(int (*body)(void*), void* argument);

/// The running transaction cannot go on with what it has read: it is rolled back, waits until something of that
/// changes, and is run again (see perdure/retry.h).
PERDURE_PURE void perdure_retry(void) __attribute__((noreturn));

/// Ends the waiting of other threads. `perdure_cancellation cancellation = {0};` does not, before perdure_cancel, which
/// is not to be called in a transaction.
typedef struct perdure_cancellation {
  int is_cancelled;
} perdure_cancellation;
void perdure_cancel(perdure_cancellation* cancellation);
PERDURE_PURE int perdure_is_cancelled(const perdure_cancellation* cancellation);

/// perdure_retry, as long as nobody cancels it (null: nobody can), for no more than so many nanoseconds (UINT64_MAX:
/// for ever) since the transaction came here first.
/// \returns PERDURE_TIMED_OUT (-27) or PERDURE_CANCELLED (-28) when it is not to wait any longer.
PERDURE_PURE int perdure_retry_unless(const perdure_cancellation* cancellation, uint64_t nanoseconds);

// NOLINTEND(modernize-use-using,readability-identifier-naming,modernize-redundant-void-arg)
#ifdef __cplusplus
}
#endif

#endif
