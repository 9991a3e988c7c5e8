#include "tx/failure.h"

#include <new>

#include "perdure/error.h"

namespace perdure::tx {

void throw_failure(CommitResult failure) {
  if (failure == CommitResult::pool_full) throw std::bad_alloc();
  throw Error(
      "perdure: a transaction wrote to more than one pool, which this version cannot commit atomically; it was rolled "
      "back. Keep what changes together in one pool.");
}

}  // namespace perdure::tx
