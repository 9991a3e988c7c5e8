#ifndef PERDURE_LOG_REDO_LOG_H
#define PERDURE_LOG_REDO_LOG_H

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>

#include "alloc/heap.h"
#include "log/growing_array.h"
#include "log/record.h"
#include "persist/domain.h"
#include "pool/window.h"

namespace perdure::log {

enum class LogResult {
  written,
  pool_full,      ///< no room for another segment
  several_pools,  ///< the transaction wrote to more than one pool
};

/// One thread's redo log: the segments of the record that it is writing. Between transactions the thread keeps its
/// first segment, so that small transactions reuse lines that are in its cache.
class RedoLog {
 public:
  constexpr RedoLog() = default;

  /// Copies the entries to the log and flushes them; durable after the next fence. The record does not count yet.
  /// \tparam ByLine  flush each line once; otherwise once an entry (Listing 1 as it stands).
  template <persist::Domain Domain, bool ByLine, class Entry>
  LogResult write(const GrowingArray<Entry>& entries) {
    if (!are_in_one_pool(entries)) return LogResult::several_pools;
    attach(reinterpret_cast<const void*>(entries[0].address));
    const std::size_t capacity = entry_bytes / sizeof(Entry);
    std::size_t segment = 0;
    for (std::size_t first = 0; first < entries.size(); first += capacity, ++segment) {
      if (!has_segment(segment)) return LogResult::pool_full;
      const std::size_t count = std::min(capacity, entries.size() - first);
      auto* const target = reinterpret_cast<Entry*>(segments_[segment] + 1);
      std::memcpy(static_cast<void*>(target), &entries[first], count * sizeof(Entry));
      flush_entries<Domain, ByLine>(target, count);
      if (segment == 0)
        head_.entry_count = count;
      else
        link<Domain>(segment, count, Entry::chunk_bytes);
    }
    used_ = segment;
    head_.chunk_bytes = Entry::chunk_bytes;
    return LogResult::written;
  }

  /// Makes the record count, once the next fence has passed. The caller has fenced since `write`.
  template <persist::Domain Domain>
  void activate(std::uint64_t commit_timestamp) {
    SegmentHeader& head = *segments_[0];
    head.entry_count = head_.entry_count;
    head.chunk_bytes = head_.chunk_bytes;
    head.next = used_ > 1 ? reinterpret_cast<std::uint64_t>(segments_[1]) : 0;
    set_status<Domain>(head, commit_timestamp);
  }

  /// The record does not count any more, once the next fence has passed.
  template <persist::Domain Domain>
  void deactivate() {
    set_status<Domain>(*segments_[0], inactive);
  }

  /// After the fence that follows `deactivate`: gives back the segments that a large record took.
  void recycle() {
    while (segments_.size() > kept_segments) {
      heap_->release_log_segment(segments_.back());
      segments_.pop_back();
    }
  }

  /// The record that was written, as its first segment, with all its segments: it is now the caller's to retire. The
  /// next transaction starts with other segments.
  SegmentHeader* take_record() {
    SegmentHeader* const head = segments_[0];
    for (std::size_t i = used_; i < segments_.size(); ++i) heap_->release_log_segment(segments_[i]);
    segments_.clear();
    return head;
  }

  /// Gives everything back; the log must be inactive.
  void release() {
    if (is_attached())
      for (SegmentHeader* segment : segments_) heap_->release_log_segment(segment);
    heap_ = nullptr;
    segments_.release();
  }

  template <persist::Domain Domain>
  static void set_status(SegmentHeader& head, std::uint64_t status) {
    // Release keeps the compiler from moving the other fields of the line below the status; within the line,
    // program order is the order of persistence.
    std::atomic_ref(head.status).store(status, std::memory_order_release);
    Domain::flush(&head);
  }

 private:
  static constexpr std::size_t entry_bytes = segment_bytes - sizeof(SegmentHeader);
  static constexpr std::size_t kept_segments = 1;

  template <class Entry>
  static bool are_in_one_pool(const GrowingArray<Entry>& entries) {
    std::uint64_t differing_bits = 0;
    for (const Entry& entry : entries) differing_bits |= entry.address ^ entries[0].address;
    return differing_bits < pool::slot_bytes;  // slots are aligned to their size within the window
  }

  template <persist::Domain Domain, bool ByLine, class Entry>
  static void flush_entries(const Entry* entries, std::size_t count) {
    if constexpr (ByLine) return persist::flush_range<Domain>(entries, count * sizeof(Entry));
    static_assert(ByLine || 64 % sizeof(Entry) == 0, "one flush must cover an entry");
    for (std::size_t i = 0; i < count; ++i) Domain::flush(entries + i);
  }

  /// Completes the header of a segment behind the first. Its predecessor's `next` is set when the predecessor is
  /// linked, or in `activate`.
  template <persist::Domain Domain>
  void link(std::size_t segment, std::size_t count, std::size_t chunk_bytes) {
    SegmentHeader& header = *segments_[segment];
    header.entry_count = count;
    header.chunk_bytes = chunk_bytes;
    header.next = 0;
    Domain::flush(&header);
    if (segment == 1) return;
    segments_[segment - 1]->next = reinterpret_cast<std::uint64_t>(&header);
    Domain::flush(segments_[segment - 1]);
  }

  /// Whether the heap that the segments come from is still open: a pool that was closed took them with it.
  bool is_attached() const {
    return heap_ != nullptr && alloc::heap_of(pool_) == heap_ && heap_->number() == heap_number_;
  }

  /// \param address  in the pool that the record is to be in.
  void attach(const void* address) {
    if (is_attached() && alloc::heap_of(address) == heap_) [[likely]]
      return;
    release();
    pool_ = address;
    heap_ = alloc::heap_of(address);
    heap_number_ = heap_->number();
  }

  bool has_segment(std::size_t segment) {
    if (segment < segments_.size()) [[likely]]
      return true;
    auto* const added = static_cast<SegmentHeader*>(heap_->allocate_log_segment());
    if (added == nullptr) return false;
    segments_.push_back(added);
    return true;
  }

  struct HeadFields {
    std::size_t entry_count = 0;
    std::size_t chunk_bytes = 0;
  };

  alloc::Heap* heap_ = nullptr;
  std::uint64_t heap_number_ = 0;
  const void* pool_ = nullptr;  // any address in it
  GrowingArray<SegmentHeader*> segments_;
  std::size_t used_ = 0;  // segments of the record that was written last
  HeadFields head_;
};

}  // namespace perdure::log

#endif
