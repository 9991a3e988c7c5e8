#ifndef PERDURE_LOG_SEGMENTS_H
#define PERDURE_LOG_SEGMENTS_H

#include <cstddef>
#include <cstdint>

#include "alloc/heap.h"
#include "log/growing_array.h"
#include "log/record.h"
#include "persist/domain.h"
#include "pool/slots.h"
#include "pool/window.h"

namespace perdure::log {

enum class LogResult {
  written,
  pool_full,       ///< no room for another segment
  other_pool,      ///< this log is in another pool than what is to be logged
  read_only_pool,  ///< the pool is open for reading
  decisions_busy,  ///< other transactions over several pools are just being decided in the same pool
  decisions_full,  ///< the pool has no place for another decision (log/decisions.h)
  several_pools,   ///< one of them lies on a disk, with a log beside it
  not_durable      ///< the log on the disk is poisoned
};

/// Why there is no segment to be had.
inline LogResult why_no_segment(const alloc::Heap& heap) {
  return heap.mapping().read_only() ? LogResult::read_only_pool : LogResult::pool_full;
}

/// The segments that one thread holds for its record. Between transactions the thread keeps the first, so that small
/// transactions reuse lines that are in its cache.
class Segments {
 public:
  constexpr Segments() = default;

  /// \param address  in the pool that the next record is to be in. There is no active record.
  void attach(const void* address) {
    if (is_attached() && alloc::heap_of(address) == heap_) [[likely]]
      return;
    release();
    pool_ = address;
    heap_ = alloc::heap_of(address);
    if (heap_ == nullptr) pool::stop_at_closed_pool(address);
    heap_number_ = heap_->number();
  }

  /// Whether `address` lies in the pool of the segments.
  bool is_in_pool(const void* address) const { return pool::are_in_one_pool(address, pool_); }

  /// \returns whether there is a segment `number`; if need be one is taken from the pool.
  bool ensure(std::size_t number) {
    if (number < segments_.size()) [[likely]]
      return true;
    auto* const added = static_cast<SegmentHeader*>(heap_->allocate_log_segment());
    if (added == nullptr) return false;
    segments_.push_back(added);
    return true;
  }

  /// Why `ensure` failed.
  LogResult why_not() const { return why_no_segment(*heap_); }

  /// Of the segments that there are.
  alloc::Heap& heap() const { return *heap_; }

  SegmentHeader& operator[](std::size_t number) const { return *segments_[number]; }
  std::size_t size() const { return segments_.size(); }

  /// Gives back the segments that a large record took. The record is inactive, durably.
  void recycle() {
    while (segments_.size() > kept) {
      heap_->release_log_segment(segments_.back());
      segments_.pop_back();
    }
  }

  /// The first `used` segments, as the first of them, are now the caller's: they hold a record that is to be retired.
  /// The next transaction starts with other segments.
  SegmentHeader* take(std::size_t used) {
    SegmentHeader* const head = segments_[0];
    for (std::size_t i = used; i < segments_.size(); ++i) heap_->release_log_segment(segments_[i]);
    segments_.clear();
    return head;
  }

  /// Gives everything back. There is no active record.
  void release() {
    if (is_attached())
      for (SegmentHeader* segment : segments_) heap_->release_log_segment(segment);
    heap_ = nullptr;
    segments_.release();
  }

 private:
  static constexpr std::size_t kept = 1;

  /// Whether the heap that the segments come from is still open: a pool that was closed took them with it.
  bool is_attached() const {
    return heap_ != nullptr && alloc::heap_of(pool_) == heap_ && heap_->number() == heap_number_;
  }

  alloc::Heap* heap_ = nullptr;
  std::uint64_t heap_number_ = 0;
  const void* pool_ = nullptr;  // any address in it
  GrowingArray<SegmentHeader*> segments_;
};

/// Release keeps the compiler from moving the other fields of the line below the status; within the line, program order
/// is the order of persistence.
inline void store_status(SegmentHeader& head, std::uint64_t status) {
  static_assert(sizeof(SegmentHeader) == persistence::line_bytes && sizeof(head.status) == persistence::atomic_bytes);
  std::atomic_ref(head.status).store(status, std::memory_order_release);
}

/// The status of a record, durable after the next fence.
inline void set_status(SegmentHeader& head, std::uint64_t status) {
  store_status(head, status);
  persistence::flush(&head);
}

}  // namespace perdure::log

#endif
