#include "log/record_log.h"

#include <mutex>

#include "persist/domain.h"
#include "persist/step.h"

namespace perdure::log {
namespace {

/// Says what the segment holds, durably after the next fence: with the first record.
void claim(SegmentHeader& header) {
  header.kind = LogKind::records;
  persistence::flush(&header);
}

}  // namespace

bool RecordLog::make_room(alloc::Heap& heap, const Watermark& watermark, std::size_t payload_words) {
  constexpr std::size_t usable_words = RecordArea::payload_words - most_words_unused;
  const std::size_t parts =
      payload_words <= RecordArea::payload_words ? 1 : (payload_words + usable_words - 1) / usable_words;
  {
    const std::scoped_lock guard(lock_);
    leave_segment();
    while (ready_.size() < parts) {
      if (take_segment(heap, watermark)) continue;
      for (SegmentHeader* segment : ready_) heap.release_log_segment(segment);  // others need the room
      ready_.clear();
      return false;
    }
  }
  enter_next_segment();
  trim(heap, watermark);
  return true;
}

bool RecordLog::take_segment(alloc::Heap& heap, const Watermark& watermark) {
  if (!segments_.empty() && is_past(segments_.front(), watermark)) {
    ready_.push_back(segments_.front().header);
    remove_oldest();
    return true;
  }
  auto* const taken = static_cast<SegmentHeader*>(heap.allocate_log_segment());
  if (taken == nullptr) return false;
  claim(*taken);
  ready_.push_back(taken);
  return true;
}

bool RecordLog::is_past(const Segment& segment, const Watermark& watermark) const {
  return persistence::value<persistence::Step::segment_past>(segment.end != not_known &&
                                                             segment.last <= watermark.durable());
}

void RecordLog::enter_next_segment() {
  const std::scoped_lock guard(lock_);
  leave_segment();
  segments_.push_back({ready_.back(), not_known, 0});
  ready_.pop_back();
  auto* const start = reinterpret_cast<std::byte*>(segments_.back().header);
  next_ = reinterpret_cast<std::uint64_t*>(start + RecordArea::begin);
  end_ = reinterpret_cast<std::uint64_t*>(start + RecordArea::end);
}

/// What is left of the youngest segment stays unused.
void RecordLog::leave_segment() {
  if (segments_.empty() || segments_.back().end != not_known) return;
  Segment& left = segments_.back();
  left.end = static_cast<std::size_t>(reinterpret_cast<std::byte*>(next_) - reinterpret_cast<std::byte*>(left.header));
  left.last = last_;
  next_ = end_ = nullptr;
}

void RecordLog::remove_oldest() {
  segments_.pop_front();
  ++first_;
}

void RecordLog::trim(alloc::Heap& heap, const Watermark& watermark) {
  const std::scoped_lock guard(lock_);
  while (!segments_.empty() && is_past(segments_.front(), watermark)) {
    heap.release_log_segment(segments_.front().header);
    remove_oldest();
  }
}

void RecordLog::reset() {
  next_ = end_ = nullptr;
  last_ = appended_bytes_ = 0;
  completed_.store(0, std::memory_order_relaxed);
  flushed_through_.store(0, std::memory_order_relaxed);
  flushed_ = {};
  first_ = 0;
  segments_.clear();
  ready_.clear();
  in_use_.store(false, std::memory_order_release);
}

}  // namespace perdure::log
