#ifndef PERDURE_LOG_TURN_STATE_H
#define PERDURE_LOG_TURN_STATE_H

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "log/change_history.h"
#include "log/growing_array.h"
#include "log/queued_operation.h"
#include "log/replica_word.h"
#include "pool/window.h"

namespace perdure::log {

/// How an operation ends with a turn: `*outcome`, which is `pending`, becomes `settled` (tx/shared_operation.h).
struct Settlement {
  std::atomic<std::uint64_t>* outcome;
  std::uint64_t pending;
  std::uint64_t settled;
  std::size_t results;  ///< where they begin, in bytes, among those of the state
};

/// What a turn brings about (State, EuroSys'20, Algorithm 1). Who makes one fills it in; from when it is decided on it
/// is constant, and read by all, until the turn lies so far back that nobody looks at it any more (log/turns.h).
///
/// The memory is never given back: who is late may read a state that has become another's, and then finds by its ticket
/// that it must not use what it has read.
struct TurnState {
  static constexpr std::size_t no_pool = pool::slot_count;

  std::uint64_t number = 0;              // in the table of states, constant
  std::atomic<bool> is_owned{false};     // by a thread, which fills it in
  std::atomic<std::uint64_t> time{0};    // of the turn; 0: of none yet
  std::atomic<std::size_t> awaited{0};   // so many owners have yet to take results from here
  std::size_t slot = no_pool;            // of the pool that was written to
  Copy copy = main_copy;                 // that counts since
  Copy former = main_copy;               // that counted before
  GrowingArray<std::uintptr_t> chunks;   // what was written to
  GrowingArray<Range> blocks;            // what was allocated
  GrowingArray<Settlement> settlements;  // what was done for others, and for who made the turn if it has announced that
  GrowingArray<std::byte> results;       // of these, where locals were written

  // Of a batch, which says what a turn is to be instead of what it has become (Turns::enqueue). Empty in others.
  GrowingArray<QueuedOperation> operations;
  GrowingArray<std::byte> locals;  // of these, as they are before

  bool is_batch() const { return !operations.empty(); }

  void clear() {
    slot = no_pool;
    chunks.clear();
    blocks.clear();
    settlements.clear();
    results.clear();
    for (QueuedOperation& operation : operations) {
      operation.blocks.release();
      operation.sizes.release();
    }
    operations.clear();
    locals.clear();
  }
};

}  // namespace perdure::log

#endif
