#ifndef PERDURE_RECOVER_PREPARED_LOGS_H
#define PERDURE_RECOVER_PREPARED_LOGS_H

#include <vector>

#include "alloc/heap.h"
#include "log/preparation.h"

namespace perdure::recover {

/// The logs that transactions over several pools have prepared in a pool, and that no longer are what their status
/// says, since the transaction was decided; with all preparations, which are to be cleared in the end.
class PreparedLogs {
 public:
  /// Finds them. Changes nothing.
  /// \throws PoolError (Kind::pool_missing), see `is_decided`; (Kind::damaged).
  explicit PreparedLogs(alloc::Heap& heap);

  /// Redo logs that count, though they are inactive.
  const std::vector<log::SegmentHeader*>& to_replay() const { return to_replay_; }
  /// Whether an active undo log does not count.
  bool has_ended(const log::SegmentHeader* log) const;

  /// Durably: recovery has carried out what was decided. Till then it can be done again.
  void clear();

 private:
  void read(alloc::Heap& heap, log::Preparation& preparation);

  std::vector<log::Preparation*> preparations_;
  std::vector<log::SegmentHeader*> to_replay_;
  std::vector<const log::SegmentHeader*> ended_;
};

}  // namespace perdure::recover

#endif
