#ifndef PERDURE_LOG_UNDO_LOG_H
#define PERDURE_LOG_UNDO_LOG_H

#include <cstdint>
#include <cstring>

#include "log/record.h"
#include "log/segments.h"
#include "persist/domain.h"
#include "persist/step.h"

namespace perdure::log {

/// One thread's undo log: old values of what the running transaction changes in place. (PACT'19, Listing 1, right.)
///
/// Invariant: the generation of every segment of an active record is durable before an entry is stamped with it, and
/// before the segment is linked; so the entries that count are a prefix of those written.
template <class Entry>
class UndoLog {
 public:
  constexpr UndoLog() = default;

  bool is_active() const { return entries_ != 0; }

  /// Makes room for one entry about `address`; with the first one the record becomes active, durably after the next
  /// fence.
  LogResult reserve(const void* address) {
    if (!is_active()) return start(address);
    if (!segments_.is_in_pool(address)) return LogResult::other_pool;
    return entries_ % capacity == 0 ? add_segment(entries_ / capacity) : LogResult::written;
  }

  /// Saves the bytes of `mask` of the chunk, which the caller owns; durable after the next fence. Follows `reserve`.
  void save(std::uintptr_t chunk, std::uint64_t mask) {
    Entry& entry = at(entries_);
    entry.save(chunk, mask, segments_[entries_ / capacity].generation);
    persistence::flush(&entry, sizeof(Entry));
    ++entries_;
  }

  /// Newest first, so that of several values saved for a location the oldest wins.
  void restore() {
    for (std::size_t i = entries_; i-- > 0;) {
      const Entry& entry = at(i);
      entry.restore();
      persistence::flush_data(address_in(reinterpret_cast<const std::byte*>(&entry)));
    }
  }

  /// Ends the record. Fenced before: what the transaction leaves in memory is durable. Fenced after: until the record
  /// is inactive, durably, nobody may change what it would restore.
  void deactivate() {
    persistence::fence();
    end();
    persistence::fence();
    forget();
  }

  // The steps of `deactivate`, for several logs that end together.

  void end() { set_status(segments_[0], inactive); }
  void forget() {
    segments_.recycle();
    entries_ = 0;
  }

  /// The active record, for a transaction over several pools (log/two_phase_commit.h).
  const SegmentHeader& prepared() const { return segments_[0]; }
  alloc::Heap& heap() const { return segments_.heap(); }

  void release() { segments_.release(); }

 private:
  static constexpr std::size_t capacity = UndoEntries<Entry>::capacity;
  static constexpr std::uint64_t active = 1;

  Entry& at(std::size_t number) const {
    return UndoEntries<Entry>::at(segments_[number / capacity], number % capacity);
  }

  LogResult start(const void* address) {
    segments_.attach(address);
    if (!segments_.ensure(0)) return segments_.why_not();
    open_segment(segments_[0]);
    set_status(segments_[0], active);
    return LogResult::written;
  }

  LogResult add_segment(std::size_t number) {
    if (!segments_.ensure(number)) return segments_.why_not();
    open_segment(segments_[number]);
    persistence::flush(&segments_[number]);
    persistence::fence();  // its generation before the link: old entries must not count
    segments_[number - 1].next = reinterpret_cast<std::uint64_t>(&segments_[number]);
    persistence::flush(&segments_[number - 1]);  // durable together with the first entry
    return LogResult::written;
  }

  static void open_segment(SegmentHeader& header) {
    if (header.kind != LogKind::undo || header.chunk_bytes != Entry::chunk_bytes) [[unlikely]]
      erase(header);
    header.next = 0;
    persistence::perform<persistence::Step::next_generation>([&] { ++header.generation; });
  }

  /// What lies in the segment was no undo log of this format, and could hold anything where tags will be.
  static void erase(SegmentHeader& header) {
    std::memset(static_cast<void*>(&header + 1), 0, segment_bytes - sizeof header);
    persistence::flush(&header + 1, segment_bytes - sizeof header);
    persistence::fence();  // before the header says that there are tags
    header.entry_count = 0;
    header.chunk_bytes = Entry::chunk_bytes;
    header.kind = LogKind::undo;
  }

  Segments segments_;
  std::size_t entries_ = 0;
};

}  // namespace perdure::log

#endif
