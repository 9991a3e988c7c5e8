#ifndef PERDURE_RECOVER_REPLAY_RECORDS_H
#define PERDURE_RECOVER_REPLAY_RECORDS_H

#include <vector>

#include "alloc/heap.h"
#include "log/commit_record.h"
#include "recover/replay.h"

namespace perdure::recover {

/// Writes every transaction above the watermark whose record is complete to its place, in commit order
/// (log/commit_record.h). May be interrupted and repeated: until it has ended the records stay as they are.
class RecordReplay {
 public:
  /// Reads the records. Changes nothing.
  /// \throws PoolError (Kind::damaged), naming the log, if a record is missing among others or not well formed.
  explicit RecordReplay(alloc::Heap& heap);

  /// Afterwards they are not needed any more, and not replayed again.
  ReplayReport run();

 private:
  using Parts = std::vector<const log::CommitRecordPart*>;

  alloc::Heap& heap_;
  Parts parts_;
  std::uint64_t transactions_ = 0;
};

/// Refuses a pool in which it cannot be said which records count. To be called before anything is made of it.
void require_sound_watermark(const alloc::Heap& heap);

/// The number of the run that is, or was the last: one more with each open for writing.
std::uint64_t current_run(const alloc::Heap& heap);

/// Puts all records out of effect, and the watermark to 0. Their data is durable. To be called whenever a pool is
/// opened: the commit order begins anew.
void begin_run(alloc::Heap& heap);

}  // namespace perdure::recover

#endif
