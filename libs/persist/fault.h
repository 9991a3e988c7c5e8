#ifndef PERDURE_PERSIST_FAULT_H
#define PERDURE_PERSIST_FAULT_H

#include <cstdint>

namespace perdure::persistence {

/// Mistakes in the log on a disk (libs/disk) that its tests seed, one at a time, to show that they would be caught. For
/// those elsewhere see simulate/faults.h.
enum class Fault : std::uint8_t {
  none,
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
  sampled_early,            ///< take commits to be durable, for those that only read, as soon as they are in the log
  versions_believed,        ///< take versions for those of what sole threads and serial transactions have written
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

}  // namespace perdure::persistence

#endif
