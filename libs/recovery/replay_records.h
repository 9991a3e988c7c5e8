#ifndef PERDURE_RECOVERY_REPLAY_RECORDS_H
#define PERDURE_RECOVERY_REPLAY_RECORDS_H

#include "alloc/heap.h"
#include "recovery/replay.h"

namespace perdure::recovery {

/// Writes every transaction above the watermark whose record is complete to its place, in commit order
/// (log/commit_record.h). May be interrupted and repeated: until the next run begins the records stay as they are.
/// \throws PoolError (Kind::damaged), naming the log, if a record is missing among others or not well formed; nothing
/// has been written then.
ReplayReport replay_records(alloc::Heap& heap);

/// The number of the run that is, or was the last: one more with each open for writing.
std::uint64_t current_run(const alloc::Heap& heap);

/// Puts all records out of effect, and the watermark to 0. Their data is durable. To be called whenever a pool is
/// opened: the commit order begins anew.
void begin_run(alloc::Heap& heap);

}  // namespace perdure::recovery

#endif
