#include "recover/prepared_logs.h"

#include <algorithm>

#include "log/segments.h"
#include "persist/durable.h"
#include "pool/format.h"
#include "recover/coordinator.h"
#include "recover/damage.h"
#include "recover/replay_records.h"

namespace perdure::recover {

using log::LogKind;
using log::Preparation;
using log::SegmentHeader;

PreparedLogs::PreparedLogs(alloc::Heap& heap) {
  if ((heap.mapping().header().incompatible_features & pool::transactions_over_pools) == 0) return;
  heap.for_each_log_segment([&](void* segment) {
    auto& preparation = *static_cast<Preparation*>(segment);
    if (preparation.header.kind == LogKind::prepared && preparation.counts()) read(heap, preparation);
  });
}

void PreparedLogs::read(alloc::Heap& heap, Preparation& preparation) {
  preparations_.push_back(&preparation);
  if (preparation.run != current_run(heap)) return;
  if (!is_log_segment(heap, preparation.log)) refuse_log(heap, &preparation, "it prepares what is no log segment");
  auto* const log = reinterpret_cast<SegmentHeader*>(preparation.log);
  const bool waits_to_count = log->kind == LogKind::redo && log->status == log::inactive;
  const bool waits_to_end =
      log->kind == LogKind::undo && log->status != log::inactive && log->generation == preparation.log_generation;
  if ((!waits_to_count && !waits_to_end) || !is_decided(heap, preparation)) return;
  if (waits_to_count)
    to_replay_.push_back(log);
  else
    ended_.push_back(log);
}

bool PreparedLogs::has_ended(const SegmentHeader* log) const { return std::ranges::find(ended_, log) != ended_.end(); }

void PreparedLogs::clear() {
  if (preparations_.empty()) return;
  for (Preparation* const preparation : preparations_) {
    log::store_status(preparation->header, log::inactive);
    persistence::note_change(&preparation->header, sizeof preparation->header);
  }
  persistence::complete_changes();  // before the next run begins, which says to the coordinator that the decision may
                                    // go
}

}  // namespace perdure::recover
