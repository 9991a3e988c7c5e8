#ifndef PERDURE_LOG_REDO_LOG_H
#define PERDURE_LOG_REDO_LOG_H

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "log/changed_bytes.h"
#include "log/dirty_chunk.h"
#include "log/growing_array.h"
#include "log/record.h"
#include "log/segments.h"
#include "persist/domain.h"
#include "persist/durable.h"
#include "persist/step.h"
#include "pool/window.h"

namespace perdure::log {

/// One thread's redo log: the record that it is writing.
class RedoLog {
 public:
  constexpr RedoLog() = default;

  /// Copies the entries, which are in one pool, to its log and flushes them; durable after the next fence. The record
  /// does not count yet.
  /// \tparam ByLine  flush each line once; otherwise once an entry (Listing 1 as it stands).
  template <bool ByLine, class Entry>
  LogResult write(const GrowingArray<Entry>& entries) {
    segments_.attach(reinterpret_cast<const void*>(entries[0].address));
    bytes_ = 0;
    std::size_t segment = 0;
    for (const Entry* next = entries.begin(); next != entries.end(); ++segment) {
      if (!segments_.ensure(segment)) {
        recycle();  // others need the room
        return segments_.why_not();
      }
      claim(segments_[segment]);
      const std::size_t count = fill<ByLine>(segments_[segment], next, entries.end());
      if (segment == 0)
        head_.entry_count = count;
      else
        link(segment, count, entry_format<Entry>);
    }
    used_ = segment;
    head_.chunk_bytes = entry_format<Entry>;
    return LogResult::written;
  }

  /// Of the record that was written last, with its headers.
  std::size_t bytes() const { return bytes_ + used_ * sizeof(SegmentHeader); }

  /// Makes the record count, once the next fence has passed. The caller has fenced since `write`.
  void activate(std::uint64_t commit_timestamp) {
    persistence::in_order<persistence::Step::fields_before_status>([&] { describe_head(); },
                                                                   [&] { set_status(segments_[0], commit_timestamp); });
  }

  /// Flushes all that a preparation must find (log/preparation.h). Follows `write`. \returns the first segment.
  const SegmentHeader& complete() {
    describe_head();
    persistence::flush(&segments_[0]);
    return segments_[0];
  }

  /// The same for a pool on a disk. (Of a record of changed bytes.)
  void note() {
    for (std::size_t i = 0; i < used_; ++i)
      persistence::note_change(&segments_[i], sizeof(SegmentHeader) + segments_[i].entry_count * sizeof(std::uint64_t));
  }

  /// The record does not count any more, once the next fence has passed.
  void deactivate() { set_status(segments_[0], inactive); }

  /// After the fence that follows `deactivate`.
  void recycle() { segments_.recycle(); }

  /// The record that was written, as its first segment, with all its segments: it is now the caller's to retire.
  SegmentHeader* take_record() { return segments_.take(used_); }

  /// Gives everything back; the log must be inactive.
  void release() { segments_.release(); }

 private:
  static constexpr std::size_t entry_bytes = segment_bytes - sizeof(SegmentHeader);
  template <class Entry>
  static constexpr std::uint64_t entry_format =
      HoldsChunk<Entry> ? SegmentHeader::of_changed_bytes : Entry::chunk_bytes;

  /// A segment that held an undo log stops being one before it holds anything that could be taken for its entries.
  static void claim(SegmentHeader& header) {
    if (header.kind == LogKind::redo) [[likely]]
      return;
    header.kind = LogKind::redo;
    persistence::flush(&header);
    persistence::fence();
  }

  /// Copies the entries from `next` on to the segment, as many as it has room for, and flushes them.
  /// \returns the segment's `entry_count`.
  template <bool ByLine, class Entry>
  std::size_t fill(SegmentHeader& segment, const Entry*& next, const Entry* end) {
    const std::size_t count = std::min(entry_bytes / sizeof(Entry), static_cast<std::size_t>(end - next));
    auto* const target = reinterpret_cast<Entry*>(&segment + 1);
    std::memcpy(static_cast<void*>(target), next, count * sizeof(Entry));
    next += count;
    bytes_ += count * sizeof(Entry);
    if constexpr (ByLine)
      persistence::flush(target, count * sizeof(Entry));
    else
      for (std::size_t i = 0; i < count; ++i) persistence::flush(target + i);
    return count;
  }

  template <bool, HoldsChunk Entry>
  std::size_t fill(SegmentHeader& segment, const Entry*& next, const Entry* end) {
    auto* const begin = reinterpret_cast<std::uint64_t*>(&segment + 1);
    const std::uint64_t* const last = begin + entry_bytes / sizeof(std::uint64_t) - changed_bytes::most_words<Entry>;
    std::uint64_t* word = begin;
    while (next != end && word <= last) word = changed_bytes::put(*next++, word);
    const auto count = static_cast<std::size_t>(word - begin);
    bytes_ += count * sizeof(std::uint64_t);
    persistence::flush(begin, count * sizeof(std::uint64_t));
    return count;
  }

  static void describe(SegmentHeader& header, std::size_t count, std::size_t chunk_bytes, SegmentHeader* next) {
    header.entry_count = count;
    header.chunk_bytes = chunk_bytes;
    header.next = reinterpret_cast<std::uint64_t>(next);
  }

  void describe_head() {
    describe(segments_[0], head_.entry_count, head_.chunk_bytes, used_ > 1 ? &segments_[1] : nullptr);
  }

  /// Completes the header of a segment behind the first. Its predecessor's `next` is set when the predecessor is
  /// linked, or in `activate`.
  void link(std::size_t segment, std::size_t count, std::size_t chunk_bytes) {
    SegmentHeader& header = segments_[segment];
    describe(header, count, chunk_bytes, nullptr);
    persistence::flush(&header);
    if (segment == 1) return;
    segments_[segment - 1].next = reinterpret_cast<std::uint64_t>(&header);
    persistence::flush(&segments_[segment - 1]);
  }

  struct HeadFields {
    std::size_t entry_count = 0;
    std::size_t chunk_bytes = 0;
  };

  Segments segments_;
  std::size_t used_ = 0;   // segments of the record that was written last
  std::size_t bytes_ = 0;  // of its entries
  HeadFields head_;
};

}  // namespace perdure::log

#endif
