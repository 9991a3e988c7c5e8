#ifndef PERDURE_ALGORITHMS_LOG_RESULT_H
#define PERDURE_ALGORITHMS_LOG_RESULT_H

#include "log/segments.h"
#include "tx/algorithm.h"

namespace perdure::algorithms {

/// What comes of a transaction whose log cannot be written; committed when it is.
constexpr tx::CommitResult result_of(log::LogResult result) {
  switch (result) {
    case log::LogResult::written:
      return tx::CommitResult::committed;
    case log::LogResult::read_only_pool:
      return tx::CommitResult::read_only_pool;
    case log::LogResult::decisions_busy:
      return tx::CommitResult::locked;
    case log::LogResult::decisions_full:
      return tx::CommitResult::decisions_full;
    case log::LogResult::several_pools:
      return tx::CommitResult::pools_on_disks;
    case log::LogResult::not_durable:
      return tx::CommitResult::not_durable;
    case log::LogResult::pool_full:
    case log::LogResult::other_pool:
      break;
  }
  return tx::CommitResult::pool_full;
}

}  // namespace perdure::algorithms

#endif
