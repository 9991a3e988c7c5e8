#ifndef PERDURE_TX_WITHOUT_QUEUE_H
#define PERDURE_TX_WITHOUT_QUEUE_H

#include <cstddef>

#include "tx/block_source.h"

namespace perdure::tx {

/// What a transaction asks where operations may be put in order before anybody runs them (tx/queueing.h), for where
/// they are not.
struct WithoutQueue {
  static constexpr bool is_in_batch() { return false; }
  static constexpr void make_queued_turns() {}
  static constexpr void note_frees() {}
  static constexpr void* allocate_in_batch(std::size_t, std::size_t) { return nullptr; }
  static std::size_t size_of_block(void* block) { return usable_block_size(block); }
};

}  // namespace perdure::tx

#endif
