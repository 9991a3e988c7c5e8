#include "tx/failure.h"

#include <cstdio>
#include <cstdlib>
#include <new>

#include "perdure/error.h"
#include "pool/fork.h"
#include "pool/window.h"
#include "tx/abort.h"
#include "tx/stack.h"

namespace perdure::tx {

namespace {

/// What a transaction of this thread has called.
struct ProgramEnd {
  void (*ending)(int) = nullptr;
  int status = 0;
};
thread_local constinit ProgramEnd program_end;

}  // namespace

void end_program(void (*ending)(int), int status) {
  program_end = {ending, status};
  abort(CommitResult::program_ends);
}

void throw_failure(CommitResult failure) {
  if (failure == CommitResult::program_ends) program_end.ending(program_end.status);
  if (failure == CommitResult::pool_full) throw std::bad_alloc();
  if (failure == CommitResult::pool_of_parent) pool::refuse_in_forked_child();
  if (failure == CommitResult::read_only_pool)
    throw Error(
        "perdure: a transaction wrote to a pool that is open for reading; it was rolled back. Open the pool without "
        "OpenOptions::read_only to change it.");
  if (failure == CommitResult::pools_on_disks)
    throw Error(
        "perdure: a transaction wrote to several pools, some of which survive power failures by a log beside them, and "
        "some do not; or a serial one wrote to several pools of which one has a log. It was rolled back. Open all of "
        "them with the same Durability, on file systems of the same kind; in a serial transaction, write to one pool.");
  if (failure == CommitResult::several_pools)
    throw Error(
        "perdure: a transaction wrote to several pools, and the library that this program is linked with makes one "
        "durable at a time; it was rolled back. Write to one pool in a transaction, or link orec_lazy_fast.");
  if (failure == CommitResult::not_durable)
    throw DurabilityError(
        "perdure: a transaction wrote to a pool whose disk has failed; it was rolled back. Nothing becomes durable any "
        "more. Repair the disk or make room on it, then open the pool again: it is recovered.");
  if (failure == CommitResult::retry)
    throw Error(
        "perdure: a serial transaction has come to TM_RETRY; it was rolled back. Others wait until a serial "
        "transaction ends, so nothing can change that it has read: wait in an ordinary transaction before it.");
  throw Error(
      "perdure: a transaction wrote to several pools, and the first of them has no place for its decision; it was "
      "rolled back. All places hold decisions about pools that were open when a program crashed and have not been "
      "opened since: `perdure info` names them. Open each once, together with this pool or in the same folder.");
}

void refuse_transaction_in_another() {
  std::fputs(
      "perdure: a transaction has begun on one stack while the thread is in the middle of one on another stack. A "
      "fiber "
      "must not yield in a transaction: do so before or behind it.\n",
      stderr);
  std::abort();
}

void require_volatile_stack() {
  if (pool::in_window(stack_pointer()))
    throw Error(
        "perdure: a transaction has begun on a stack that lies in a pool. Allocate the stacks of fibers outside of "
        "transactions.");
}

void refuse_undo(const char* place) {
  std::fprintf(
      stderr,
      "perdure: a part of a transaction is to be undone that has changed an object of the transaction around it "
      "by a function of a shared library\n  at %s\n  Use an object that is a local variable of the part.\n",
      place);
  std::abort();
}

void refuse_retry_outside() {
  std::fputs(
      "perdure: TM_RETRY, retry or retry_for outside of a transaction, which has read nothing that could change. Call "
      "it in TM_BEGIN … TM_END.\n",
      stderr);
  std::abort();
}

void refuse_transaction_in_initialiser() {
  std::fputs(
      "perdure: a transaction has come upon the initialisation of a static local variable (or one of a thread), whose "
      "initialiser runs a transaction of its own, or frees pool memory. Initialise the variable before the "
      "transaction.\n",
      stderr);
  std::abort();
}

}  // namespace perdure::tx
