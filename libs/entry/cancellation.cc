// Those functions of perdure/waiting.h that know no transaction.
#include "perdure/waiting.h"
#include "sched/waiters.h"

extern "C" {

void perdure_cancel(perdure_cancellation* cancellation) {
  __atomic_store_n(&cancellation->is_cancelled, 1, __ATOMIC_SEQ_CST);  // before looking for those that wait
  if (perdure::sched::waiters.are_there()) perdure::sched::waiters.wake(cancellation->is_cancelled);
}

int perdure_is_cancelled(const perdure_cancellation* cancellation) {
  return perdure::sched::is_set(&cancellation->is_cancelled) ? 1 : 0;
}

}  // extern "C"
