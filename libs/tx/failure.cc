#include "tx/failure.h"

#include <cstdio>
#include <cstdlib>
#include <new>

#include "perdure/error.h"

namespace perdure::tx {

void throw_failure(CommitResult failure) {
  if (failure == CommitResult::pool_full) throw std::bad_alloc();
  if (failure == CommitResult::read_only_pool)
    throw Error(
        "perdure: a transaction wrote to a pool that is open for reading; it was rolled back. Open the pool without "
        "OpenOptions::read_only to change it.");
  throw Error(
      "perdure: a transaction wrote to several pools, and the first of them has no place for its decision; it was "
      "rolled back. All places hold decisions about pools that were open when a program crashed and have not been "
      "opened since: `perdure info` names them. Open each once, together with this pool or in the same folder.");
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
