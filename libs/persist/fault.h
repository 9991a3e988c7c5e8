#ifndef PERDURE_PERSIST_FAULT_H
#define PERDURE_PERSIST_FAULT_H

#include <cstdint>

namespace perdure::persist {

/// Mistakes in the order of steps that the tests of the crash simulator seed, one at a time, to show that they would be
/// caught (docs/crash-testing.md). Those that only leave out a flush or a fence need no mention in the
/// code: the simulator takes them out of the trace.
enum class Fault : std::uint8_t {
  none,
  published_retirement,       ///< retire each log when its own data is durable, as published: not in commit order
  write_back_first,           ///< write the data back before the record counts
  release_locks_first,        ///< let others read new values before the record counts
  lift_bound_early,           ///< let younger records be retired before this one is, durably
  status_before_count,        ///< store the status of a record before the fields that it vouches for
  store_before_entry,         ///< change memory before the log holds its old value, durably
  tag_first,                  ///< store the tag of an undo entry before what it vouches for
  same_generation,            ///< use a generation for more than one undo record
  inactive_before_data,       ///< end the undo record before what the transaction wrote is durable
  unlock_before_inactive,     ///< let others write before the undo record is inactive, durably
  captured_one_line,          ///< flush only the first line of each block that a transaction allocated
  free_at_once,               ///< free a block when the transaction says so, not when it has committed
  replay_youngest_first,      ///< replay records in the wrong order
  parts_replayed_whole,       ///< replay words as a whole of which a transaction wrote some bytes
  mark_before_replay,         ///< find the blocks in use before the logs are replayed
  keep_unreached,             ///< do not free large blocks that no root reaches
  leak_neighbours,            ///< do not free a small block behind one that is reached
  no_shading,                 ///< overwrite a word while a mark works, and do not tell the mark what it held
  keep_large_descriptor,      ///< reuse the superblocks of a large block and leave its descriptor
  rewrite_before_header,      ///< rewrite a pool's pointers before its header says that it is being moved
  moving_header_not_settled,  ///< complete a move that was killed before its header is durable
  moved_words_not_settled,    ///< complete a move that was killed, and do not flush what it may have rewritten
  header_once,                ///< write only one copy of the header
  good_header_first,          ///< write the header's copies in the same order always
  watermark_early,            ///< raise the watermark over data that is not durable yet
  reuse_unretired_records,    ///< write over records that are above the watermark
  reuse_recorded_blocks,      ///< hand out blocks again that a record above the watermark writes to
  believe_torn_records,       ///< replay records whose checksum is wrong
  believe_lone_parts,         ///< replay the parts that are there of a record
  records_not_settled,        ///< replay records of a killed process that may not be durable
  captured_with_record,       ///< make captured blocks durable with the record, which may be durable before them
  complete_before_data,       ///< say that a record's data is in memory before it is
  batch_before_fence,         ///< take a batch to be retired before the fence that does it
  keep_hole_descriptor,       ///< use a superblock that was given back, and leave its descriptor
  cut_before_header,          ///< make the file shorter before the header says that it is
  cut_with_descriptors,       ///< make the file shorter while descriptors say something of what is cut
  decision_before_logs,       ///< decide a transaction over several pools before its logs are durable in all of them
  finished_before_logs,       ///< clear the prepared logs before the transaction counts in each pool without them
  decision_freed_early,       ///< free the decision before the logs count without it, durably
  records_skipped,            ///< of a transaction over several pools: make a record in the first one only
  decision_not_settled,       ///< believe a decision of a killed process that may not be durable
  prepared_in_one_pool,       ///< prepare the first log only of a transaction over several pools
  logs_ended_first,           ///< end the undo logs of a transaction over several pools before it is decided
  ended_rolled_back,          ///< roll back an undo log that was prepared, though its transaction was decided
  preparations_go_early,      ///< clear preparations before recovery has carried out what was decided
  left_over_dropped,          ///< free a decision that was left over before all participants have asked for it
  serial_not_alone,           ///< run a serial transaction without waiting for those that run
  serial_before_retired,      ///< change memory in a serial transaction while older records could be replayed over it
  layout_named_early,         ///< name a layout in a descriptor before the layout is durable
  code_used_early,            ///< say that the name of a code address is there before it is durable
  code_named_late,            ///< store a code address before its name is there, durably

  // The log on a disk (libs/disk).
  acknowledged_unflushed,   ///< take a group to be durable that was written and not flushed
  durable_out_of_order,     ///< take a group to be durable though an older one is not
  blocks_rewritten,         ///< write the last block of a group again with the next one
  log_reused_early,         ///< write over the log before a superblock says, durably, that it is not needed
  superblock_before_image,  ///< say that the image holds what was appended before it is durable there
  image_before_log,         ///< write pages to the image before the records of what they hold are durable
  superblocks_at_once,      ///< write one copy of the superblock before the other is durable
  run_not_begun,            ///< go on in the run that a crash cut short
  run_not_durable,          ///< go on before the beginning of the new run is durable
  log_not_settled,          ///< believe groups of a killed process that may not be durable
  torn_groups_believed,     ///< replay groups whose checksum is wrong
  stale_groups_believed,    ///< take a group of an earlier lap or run for the one that is due
  damage_cut_off,           ///< end the log at a damaged group, whatever a later one says
  error_ignored,            ///< go on after a write or a flush has failed
  sync_again,               ///< flush again when a flush has failed, and believe the second
  changes_not_logged,       ///< leave out of the log what is changed beside transactions
  blocks_not_logged,        ///< leave out of the log what a transaction wrote to blocks that it allocated
  dirty_marks_left_out,     ///< leave pages out of checkpoints that transactions have written to
  reader_not_waiting,       ///< let a transaction return that has read what is not durable
  sums_not_begun,           ///< write pages whose checksums are not said to be in doubt
  commit_not_waiting,       ///< let a transaction return whose record is not durable
  acknowledged_unwritten,   ///< take a group to be durable that is about to be written
  vouched_early,            ///< say in a group that older ones are durable, which are on their way
  header_names_log_early,   ///< say in a pool's header that it has a log before the superblocks of that are there
  lone_parts_replayed,      ///< replay the parts that are there of a record on a disk
  given_back_dirty,         ///< give pages back that hold what is not in the file
  page_cache_believed,      ///< recover through the page cache, which shows what the device lacks
};

#ifdef PERDURE_SIMULATED
inline constinit Fault seeded_fault = Fault::none;
inline bool is_seeded(Fault fault) noexcept { return seeded_fault == fault; }
#else
/// Never, outside of the simulator: whatever depends on it is compiled away.
constexpr bool is_seeded(Fault) noexcept { return false; }
#endif

}  // namespace perdure::persist

#endif
