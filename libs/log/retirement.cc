#include "log/retirement.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <new>
#include <ranges>
#include <utility>

#include "log/commit_record.h"
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
  note_oldest();
}

std::span<const RetirementQueue::Record> RetirementQueue::all_before(std::uint64_t bound) const {
  return {records_.begin(), std::ranges::lower_bound(records_, bound, {}, &Record::commit_timestamp)};
}

/// Durable when it returns. If a younger record's retirement became durable before an older one's, a crash would replay
/// the older over what the younger has written. So their statuses, which go one by one, do not decide: one store in
/// each pool does, and the statuses need no flush before the pool is closed. That of a single record does.
void RetirementQueue::retire(std::span<const Record> records) {
  if (records.size() == 1) {
    set_status(*records.front().head, inactive);
    return persistence::fence();
  }
  std::array<bool, pool::slot_count> has_younger{};
  for (const Record& record : std::views::reverse(records)) {
    if (std::exchange(has_younger[pool::slot_of(record.head)], true)) continue;
    alloc::Heap& heap = *alloc::heap_of(record.head);
    RecordWatermark& watermark = watermark_in(heap.mapping().base());
    if (watermark.retired.value() == 0) heap.superblocks().use_features(pool::retired_together);
    watermark.retired.raise(record.commit_timestamp);
    persistence::flush(&watermark);
  }
  persistence::fence();
  for (const Record& record : records) store_status(*record.head, inactive);
}

void RetirementQueue::retire_all_in(alloc::Heap& heap) {
  const std::scoped_lock guard(lock_);
  const auto is_here = [&](const Record& record) { return alloc::heap_of(record.head) == &heap; };
  std::vector<Record> here;
  std::ranges::copy_if(records_, std::back_inserter(here), is_here);  // in commit order
  if (here.empty()) return;
  retire(here);
  std::erase_if(records_, is_here);
  for (const Record& record : here) release_segments(record.head);
  note_oldest();
}

void RetirementQueue::settle(alloc::Heap& heap) {
  if (watermark_in(heap.mapping().base()).retired.value() == 0) return;
  heap.for_each_log_segment([](const void* segment) { persistence::flush(segment, sizeof(SegmentHeader)); });
  persistence::fence();
}

void RetirementQueue::note_oldest() {
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
