#include "log/retirement.h"

#include <new>

#include "log/record_logs.h"
#include "pool/fork.h"

namespace perdure::log {

namespace {

/// What waits, and the logs of pools (log/record_logs.h), belong to a process that has those pools.
void forget_records_of_parent() {
  new (&retirement_queue()) RetirementQueue;
  for (RecordLogs& logs : record_logs) new (&logs) RecordLogs;
}

}  // namespace

RetirementQueue& retirement_queue() {
  static auto* const queue = [] {
    pool::add_fork_hook(forget_records_of_parent);
    return new RetirementQueue;
  }();
  return *queue;
}

void RetirementQueue::add(SegmentHeader* record, std::uint64_t commit_timestamp) {
  const std::scoped_lock guard(lock_);
  const auto place = std::ranges::upper_bound(records_, commit_timestamp, {}, &Record::commit_timestamp);
  records_.insert(place, {record, commit_timestamp});
  oldest_.store(records_.front().commit_timestamp, std::memory_order_release);
}

void RetirementQueue::remove_first(std::size_t count) {
  records_.erase(records_.begin(), records_.begin() + static_cast<std::ptrdiff_t>(count));
  oldest_.store(records_.empty() ? sched::never : records_.front().commit_timestamp, std::memory_order_release);
}

void RetirementQueue::release_segments(SegmentHeader* head) {
  alloc::Heap& heap = *alloc::heap_of(head);
  for (SegmentHeader* segment = head; segment != nullptr;) {
    auto* const next = reinterpret_cast<SegmentHeader*>(segment->next);
    heap.release_log_segment(segment);
    segment = next;
  }
}

}  // namespace perdure::log
