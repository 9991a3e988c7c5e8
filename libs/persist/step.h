#ifndef PERDURE_PERSIST_STEP_H
#define PERDURE_PERSIST_STEP_H

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "persist/domain.h"

namespace perdure::persistence {

/// Steps on which it depends that nothing is lost in a crash, where more is needed than a flush or a fence. The code
/// goes through one of the functions below at each, so that the crash simulator can do otherwise there and its tests
/// can show that somebody notices (libs/simulate/faults.h). Elsewhere these functions do what they are handed, inlined.
enum class Step : std::uint8_t {
  // The commit of a transaction.
  commit,                  ///< append and await the record, write back, release locks, complete, retire
  captured_before_record,  ///< captured blocks are durable before the record that makes them reachable
  captured_bytes,          ///< of a block that a transaction allocated: all of them are flushed
  frees_wait,              ///< a block is freed when the transaction that says so has committed
  undo_before_unlock,      ///< end the undo record, then let others write
  data_before_end,         ///< make durable what the transaction wrote, then end its undo record
  entry_before_store,      ///< make the old value durable in the log, then change memory
  fields_before_tag,       ///< store what the tag of an undo entry vouches for, then the tag
  next_generation,         ///< each undo record has a generation of its own
  fields_before_status,    ///< store the fields that the status of a record vouches for, then the status
  // Serial transactions.
  alone,          ///< wait for those that run
  older_retired,  ///< older records are retired before memory is changed
  // A thread that is alone.
  locked_before_added,  ///< lock a counter that is added to, then read it
  sole_commit_awaited,  ///< wait for its commit, then begin beside it
  // Locks that are taken in hardware.
  hardware_finds_lock,     ///< a lock that another transaction holds is not taken
  hardware_finds_newer,    ///< nor one of a location that is newer than the start
  hardware_has_committed,  ///< locks are held when the hardware says so
  hardware_before_ticks,   ///< whether its own tick tells a commit that nobody has changed what it has read
  // The retirement of records.
  retired_before_bound,  ///< retire a record, then lift the bound on what is retired
  oldest_retired,        ///< a record is retired while there is no older one
  batch_retired,         ///< records are retired together, durably, before their segments are written over
  retired_passed_over,   ///< recovery: redo logs that were retired together do not count
  statuses_settled,      ///< that logs do not count is durable in each of them before the pool is closed
  watermark_limited,     ///< the watermark is not raised over data that may not be durable
  batch_awaits_fence,    ///< a batch is taken to be retired when the fence has passed that makes it durable
  segment_past,          ///< a segment is written over when no record in it is above the watermark
  reuse_limited,         ///< blocks are not handed out that a record above the watermark writes to
  reused_logged,         ///< unless all that is in them is in a record, too
  // Transactions over several pools.
  prepared_durable,        ///< the logs are durable in all pools before the transaction is decided
  further_pools_prepared,  ///< the log is prepared in each pool, not in the first one only
  further_records,         ///< there is a record in each pool, not in the first one only
  two_phases,              ///< decide, let the logs count by themselves, clear preparations, free the decision, fence
  // Blocks and descriptors.
  code_name_durable,         ///< the name of a code address, before it counts
  code_count_durable,        ///< the count of names, before the address is stored in an object
  hole_descriptor_cleared,   ///< of a superblock whose space was given back, before it is used again
  large_descriptor_cleared,  ///< of a large block, before its superblocks are used again
  tail_descriptors_cleared,  ///< of superblocks, before the file is cut in front of them
  layout_durable,            ///< a layout, before a descriptor names it
  // Replicas.
  replica_before_descriptor,  ///< a replica holds what its original does, durably, before recovery can find it
  postponed_flushes,          ///< what a replica caught up with is flushed before the replica counts
  written_before_turn,        ///< what was written to a replica is durable, then the replica counts
  undone_lines_flushed,       ///< lines that were changed and put back are flushed before the replica counts
  replica_described,          ///< a descriptor says what a replica is one of, durably, before it is written to
  lag_copied,                 ///< what one copy lacks is copied to it before it is written to
  all_copied,                 ///< a copy that lacks too much gets all that the one that counts has
  all_flushed,                ///< and all of it is flushed before it counts
  blocks_copied,              ///< new blocks are copied to the replica that is to count
  chunks_noted,               ///< of the chunks that a transaction wrote: all are flushed, and copied later
  chunks_put_back,            ///< of the chunks that a transaction wrote: a roll-back puts all back
  readers_gone,               ///< nobody reads any more what is about to be written
  word_before_publication,    ///< the word that says which copy counts is durable, then a turn is made known
  block_agreed,               ///< threads that make the same update take the same blocks for it
  made_by_other,              ///< a turn says of an announced update that it is made in it
  others_told_after_commit,   ///< that an update which was made for another thread is made, when it is durable
  flushes_at_bound,           ///< flushes that cannot be postponed any longer are done
  turned_before_close,        ///< the pool itself counts, with all that is in replicas, before these are given up
  word_settled,               ///< recovery: the word that a killed process may not have made durable is made so
  copied_back,                ///< recovery: the replicas that count are copied back
  copy_that_counts,           ///< recovery: the number of the copy whose replicas these are
  copied_back_before_turn,    ///< recovery: the replicas are copied back, then they do not count any more
  // The mark.
  shade,                   ///< a mark is told of what a word held before it is overwritten
  large_block_reached,     ///< a large block stays because a root reaches it
  small_blocks_unreached,  ///< the bits of small blocks that no root reaches: these are freed
  // Recovery.
  replay_before_mark,        ///< replay the logs, then find the blocks in use
  mark_at_once,              ///< find them before recovery goes on: never
  replay_order,              ///< records are replayed by age
  written_bytes,             ///< of a word: which ones a transaction wrote
  record_whole,              ///< the checksum of a part is right
  record_complete,           ///< all parts of a record are there
  records_settled,           ///< records that a killed process may not have made durable are made so
  decision_settled,          ///< and decisions
  decision_carried_out,      ///< all who take part have asked for a decision that was left over
  undo_counts,               ///< an undo log counts though it was prepared: its transaction was not decided
  carried_out_before_clear,  ///< carry out what was decided, end the logs, then clear the preparations
  // The file.
  header_before_cut,      ///< say in the header that the file is shorter, then make it so
  second_header,          ///< the header is written to both its copies
  good_header,            ///< the number of the copy that is whole, which is written last
  moving_header_settled,  ///< a move that was killed has a durable header before it goes on
  moved_words_settled,    ///< and so has what it may have rewritten
  header_before_rewrite,  ///< say in the header that the pool is being moved, then rewrite its pointers
};

namespace detail {
template <class Action>
[[gnu::always_inline]] inline void call(Action& action) {
  [[clang::always_inline]] action();
}
}  // namespace detail

/// Does it. The simulator may leave it out.
template <Step step, class D = Domain, class Action>
[[gnu::always_inline]] inline auto perform(Action&& action) {
  using Result = decltype(action());
  if constexpr (D::is_simulated) {
    if (D::is_left_out(static_cast<unsigned>(step))) return Result();
  }
  [[clang::always_inline]] return action();
}

/// Does one after the other. The simulator may do so in another order.
template <Step step, class D = Domain, class... Actions>
[[gnu::always_inline]] inline void in_order(Actions&&... actions) {
  if constexpr (D::is_simulated) {
    for (std::size_t i = 0; i < sizeof...(actions); ++i) {
      const std::size_t turn = D::at_turn(static_cast<unsigned>(step), i, sizeof...(actions));
      std::size_t number = 0;
      ((number++ == turn ? static_cast<void>(actions()) : static_cast<void>(0)), ...);
    }
  } else {
    (detail::call(actions), ...);
  }
}

/// What the code has worked out: a number, or whether a condition holds. The simulator may say otherwise.
template <Step step, class D = Domain, class T>
  requires std::integral<T>
[[gnu::always_inline]] constexpr T value(T right) {
  if constexpr (D::is_simulated)
    return static_cast<T>(D::altered(static_cast<unsigned>(step), static_cast<std::uint64_t>(right)));
  else
    return right;
}

}  // namespace perdure::persistence

#endif
