#ifndef PERDURE_TESTS_C_API_PARTS_H
#define PERDURE_TESTS_C_API_PARTS_H

#include <perdure/c.h>

#ifdef __cplusplus
extern "C" {
#endif

struct Parts {
  long ready;   ///< what is waited for
  long taken;   ///< by which part
  long tried;   ///< parts that were undone count up to here, in vain
  long result;  ///< of the undone part
  uint64_t nanoseconds;
  perdure_cancellation* cancellation;
  int64_t sum;  ///< that transactions add to
};

/// A part that returns `result`; in the transaction the caller sees it.
int run_undone_part(struct Parts* parts);
/// The first part waits until `ready` is 1, the second one until it is 2.
int run_alternatives(struct Parts* parts);
/// Waits until `ready` is not 0, no longer than `nanoseconds`; or until cancelled.
int wait_until_ready(struct Parts* parts);
/// Adds `result` to `sum` and has a part undone that does, too; `taken` is what the transaction sees then.
int add_to_sum(struct Parts* parts);

#ifdef __cplusplus
}
#endif

#endif
