#ifndef PERDURE_SIMULATE_FAULTS_H
#define PERDURE_SIMULATE_FAULTS_H

#include <cstdint>

namespace perdure::simulate {

/// Mistakes in the order of steps that tests seed, one at a time, to show that they would be caught
/// (docs/crash-testing.md). Each is something done otherwise at a step (persist/step.h) in programs that are linked
/// with the simulator. Those that only leave out a flush or a fence are none of these: the simulator takes them out of
/// the trace.
enum class Fault : std::uint8_t {
  none,
  published_retirement,       ///< retire each log when its own data is durable, as published: not in commit order
  write_back_first,           ///< write the data back before the record counts
  release_locks_first,        ///< let others read new values before the record counts
  complete_before_data,       ///< say that a record's data is in memory before it is
  lift_bound_early,           ///< let younger records be retired before this one is, durably
  status_before_count,        ///< store the status of a record before the fields that it vouches for
  store_before_entry,         ///< change memory before the log holds its old value, durably
  tag_first,                  ///< store the tag of an undo entry before what it vouches for
  same_generation,            ///< use a generation for more than one undo record
  inactive_before_data,       ///< end the undo record before what the transaction wrote is durable
  unlock_before_inactive,     ///< let others write before the undo record is inactive, durably
  captured_one_line,          ///< flush only the first line of each block that a transaction allocated
  captured_with_record,       ///< make captured blocks durable with the record, which may be durable before them
  free_at_once,               ///< free a block when the transaction says so, not when it has committed
  batch_not_retired,          ///< reuse the logs of a batch without having retired it
  retired_replayed,           ///< in recovery, replay redo logs that were retired together
  closed_with_statuses,       ///< close a pool without making durable in each log that it does not count
  watermark_early,            ///< raise the watermark over data that is not durable yet
  batch_before_fence,         ///< take a batch to be retired before the fence that does it
  reuse_unretired_records,    ///< write over records that are above the watermark
  reuse_recorded_blocks,      ///< hand out blocks again that a record above the watermark writes to
  reused_not_logged,          ///< hand them out to who is alone, and flush what it writes instead of logging it
  serial_not_alone,           ///< run a serial transaction without waiting for those that run
  serial_before_retired,      ///< change memory in a serial transaction while older records could be replayed over it
  added_before_lock,          ///< read a counter that is added to before it is locked
  sole_commit_not_awaited,    ///< begin beside a thread that is alone while it commits
  hardware_lock_ignored,      ///< take a lock in hardware that another transaction holds
  hardware_newer_ignored,     ///< take a lock in hardware of what has changed since the start
  hardware_abort_ignored,     ///< take locks to be held though the hardware transaction has aborted
  hardware_ticks_believed,    ///< validate nothing because of a clock that hardware has yet to tick
  decision_before_logs,       ///< decide a transaction over several pools before its logs are durable in all of them
  finished_before_logs,       ///< clear the prepared logs before the transaction counts in each pool without them
  decision_freed_early,       ///< free the decision before the logs count without it, durably
  records_skipped,            ///< of a transaction over several pools: make a record in the first one only
  prepared_in_one_pool,       ///< prepare the first log only of a transaction over several pools
  logs_ended_first,           ///< end the undo logs of a transaction over several pools before it is decided
  keep_hole_descriptor,       ///< use a superblock that was given back, and leave its descriptor
  keep_large_descriptor,      ///< reuse the superblocks of a large block and leave its descriptor
  cut_with_descriptors,       ///< make the file shorter while descriptors say something of what is cut
  layout_named_early,         ///< name a layout in a descriptor before the layout is durable
  code_used_early,            ///< say that the name of a code address is there before it is durable
  code_named_late,            ///< store a code address before its name is there, durably
  replica_named_early,        ///< say in a descriptor that a superblock is a replica before it holds what it should
  postponed_flushes_lost,     ///< let a replica count without flushing what it had to catch up with
  replica_counts_early,       ///< let a replica count before what was written to it is durable
  undone_lines_not_flushed,   ///< let a replica count without flushing lines that were changed and put back
  replica_not_named,          ///< write to a replica of which no descriptor says that it is one
  lag_not_copied,             ///< write to a copy that lacks what the one that counts has
  blocks_not_copied,          ///< let a replica count without the new blocks
  chunk_not_noted,            ///< forget a chunk that was written: it is not flushed, and not copied
  chunk_not_put_back,         ///< leave a chunk as it is when a transaction is rolled back
  readers_overwritten,        ///< write to a copy that others still read
  turn_published_early,       ///< make a turn known before the word that says which copy counts is durable
  blocks_not_agreed,          ///< take a block of one's own where others that make the same update have taken one
  update_made_twice,          ///< make an announced update and leave its owner to make it, too
  others_told_early,          ///< say that an update made for another thread is made, then commit
  flushes_dropped_at_bound,   ///< forget what is to be flushed where it has become too much to be postponed
  closed_in_replicas,         ///< give up the replicas at a close that still count
  word_not_settled,           ///< copy replicas back, or give them up, while the word may not be durable
  replicas_not_copied_back,   ///< give up the replicas that count and do not copy them back
  copy_not_refreshed,         ///< write to a copy that lacks too much, and that nothing was copied to
  copy_not_flushed_whole,     ///< let a copy count that was copied whole, and flush no more than what was written
  wrong_copy_copied_back,     ///< copy back replicas of another copy than the one that counts
  replicas_end_early,         ///< let the replicas count no more before recovery has copied them back
  no_shading,                 ///< overwrite a word while a mark works, and do not tell the mark what it held
  keep_unreached,             ///< do not free large blocks that no root reaches
  leak_neighbours,            ///< do not free a small block behind one that is reached
  mark_before_replay,         ///< find the blocks in use before the logs are replayed
  replay_youngest_first,      ///< replay records in the wrong order
  parts_replayed_whole,       ///< replay words as a whole of which a transaction wrote some bytes
  believe_torn_records,       ///< replay records whose checksum is wrong
  believe_lone_parts,         ///< replay the parts that are there of a record
  records_not_settled,        ///< replay records of a killed process that may not be durable
  decision_not_settled,       ///< believe a decision of a killed process that may not be durable
  ended_rolled_back,          ///< roll back an undo log that was prepared, though its transaction was decided
  preparations_go_early,      ///< clear preparations before recovery has carried out what was decided
  left_over_dropped,          ///< free a decision that was left over before all participants have asked for it
  cut_before_header,          ///< make the file shorter before the header says that it is
  header_once,                ///< write only one copy of the header
  good_header_first,          ///< write the header's copies in the same order always
  rewrite_before_header,      ///< rewrite a pool's pointers before its header says that it is being moved
  moving_header_not_settled,  ///< complete a move that was killed before its header is durable
  moved_words_not_settled,    ///< complete a move that was killed, and do not flush what it may have rewritten
};

/// From now on, until the next call. `Fault::none`: everything is done as it should be.
void seed(Fault fault) noexcept;

/// The program begins anew.
void begin_run_with_fault() noexcept;

}  // namespace perdure::simulate

#endif
