#ifndef PERDURE_LOG_RECORD_LOG_H
#define PERDURE_LOG_RECORD_LOG_H

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "alloc/heap.h"
#include "log/changed_bytes.h"
#include "log/commit_record.h"
#include "log/dirty_chunk.h"
#include "log/growing_array.h"
#include "log/watermark.h"
#include "persist/domain.h"
#include "sync/spin.h"

namespace perdure::log {

/// A log of self-validating records in one pool, written by one thread at a time: a queue of segments. Records are
/// appended to the youngest segment; the oldest is written over when the durable watermark has passed all that it
/// holds.
///
/// Timestamps ascend along the log. What they were stored for is done in three steps, and the records of the first two
/// are needed:
///   `completed()`        the data is in memory
///   `flushed_through()`  the data is durable
///   the watermark        recovery ignores the record
class RecordLog {
 public:
  /// Up to where the data has been dealt with: all records up to `time` lie before.
  struct Position {
    std::uint64_t segment = 0;  ///< its number in the life of the log
    std::size_t offset = RecordArea::begin;
    std::uint64_t time = 0;
  };

  RecordLog() = default;
  RecordLog(const RecordLog&) = delete;
  RecordLog& operator=(const RecordLog&) = delete;

  // -- for the thread that has it ----------------------------------------------------------------------------------

  bool try_acquire() { return !in_use_.exchange(true, std::memory_order_acq_rel); }
  void release() { in_use_.store(false, std::memory_order_release); }

  /// Whether there is room for a record of `payload_words` as it is.
  bool has_room(std::size_t payload_words) const {
    return CommitRecordPart::head_words + payload_words <= static_cast<std::size_t>(end_ - next_);
  }

  /// Makes room for a record of `payload_words`. \returns false when the pool is full; nothing has changed then.
  bool reserve(alloc::Heap& heap, const Watermark& watermark, std::size_t payload_words) {
    return has_room(payload_words) || make_room(heap, watermark, payload_words);
  }

  /// Writes the record, of at most `payload_words`, for which there is room, and flushes it.
  /// \returns the words of its payload.
  template <class Entry>
  std::size_t append(std::uint64_t run, std::uint64_t timestamp, const GrowingArray<Entry>& entries,
                     std::size_t payload_words) {
    last_ = timestamp;
    if (payload_words > RecordArea::payload_words) [[unlikely]] {
      append_parts(run, timestamp, entries);
      return payload_words;
    }
    std::uint64_t* const begin = part().payload();
    std::uint64_t* word = begin;
    for (const Entry& entry : entries) word = changed_bytes::put(entry, word);
    seal(run, timestamp, word, CommitRecordPart::is_last);
    return static_cast<std::size_t>(word - begin);
  }

  /// The data of the record is in memory, and so anybody may flush it.
  void complete(std::uint64_t timestamp) { completed_.store(timestamp, std::memory_order_release); }

  /// Bytes of records appended since this was last asked to begin anew.
  std::size_t appended_bytes() const { return appended_bytes_; }
  void restart_count() { appended_bytes_ = 0; }

  // -- for any thread ------------------------------------------------------------------------------------------------

  std::uint64_t completed() const { return completed_.load(std::memory_order_acquire); }
  std::uint64_t flushed_through() const { return flushed_through_.load(std::memory_order_acquire); }
  bool has_unflushed() const { return flushed_through() < completed(); }

  /// Calls `flush(address)` with every word of the data that is in memory and not known to be durable.
  /// \returns where that ends, for `note_flushed` after the next fence.
  template <class Flush>
  Position flush_data(Flush&& flush) {
    const std::scoped_lock guard(lock_);
    Position position = flushed_;
    const std::uint64_t completed = this->completed();
    while (position.time < completed) {
      // What was written over had been flushed.
      if (position.segment < first_) position = {first_, RecordArea::begin, position.time};
      const Segment& segment = segments_[position.segment - first_];
      if (position.offset == segment.end) {
        position = {position.segment + 1, RecordArea::begin, position.time};
        continue;
      }
      const CommitRecordPart& part = part_at(segment.header, position.offset);
      changed_bytes::for_each(part.changed_bytes(), [&](std::uint64_t address, auto...) { flush(address); });
      position.offset += part.bytes();
      if (part.last()) position.time = part.timestamp();
    }
    return position;
  }

  void note_flushed(const Position& position) {
    const std::scoped_lock guard(lock_);
    if (position.time <= flushed_.time) return;  // somebody else was faster
    flushed_ = position;
    flushed_through_.store(position.time, std::memory_order_release);
  }

  /// Gives back segments that are not needed any more.
  void trim(alloc::Heap& heap, const Watermark& watermark);
  /// The pool was closed: forgets everything. No thread uses the log.
  void reset();

  RecordLog* next = nullptr;  // set before the log is published, constant afterwards

 private:
  struct Segment {
    SegmentHeader* header;
    std::size_t end;     // where its parts end; that is not known yet of the youngest
    std::uint64_t last;  // timestamp of its last record, likewise
  };
  static constexpr std::size_t not_known = ~std::size_t{0};

  /// The words of an entry that is too long for the rest of a part, and the part's number.
  static constexpr std::size_t most_words_unused = 9;

  CommitRecordPart& part() { return *reinterpret_cast<CommitRecordPart*>(next_); }
  static CommitRecordPart& part_at(SegmentHeader* segment, std::size_t offset) {
    return *reinterpret_cast<CommitRecordPart*>(reinterpret_cast<std::byte*>(segment) + offset);
  }

  /// Completes a part whose payload ends at `end`.
  void seal(std::uint64_t run, std::uint64_t timestamp, const std::uint64_t* end, std::uint64_t flags) {
    CommitRecordPart& sealed = part();
    sealed.head =
        timestamp << CommitRecordPart::timestamp_shift | flags | static_cast<std::uint64_t>(end - sealed.payload());
    sealed.checksum = sealed.right_checksum(run);
    const std::size_t bytes = sealed.bytes();
    persistence::flush(&sealed, bytes);
    next_ += bytes / sizeof(std::uint64_t);
    appended_bytes_ += bytes;
  }

  /// A record that does not fit into a segment. All its parts become durable by the same fence, in any order: it counts
  /// when all are there.
  template <class Entry>
  [[gnu::noinline]] void append_parts(std::uint64_t run, std::uint64_t timestamp, const GrowingArray<Entry>& entries) {
    constexpr std::uint64_t flags = CommitRecordPart::is_of_several;
    std::uint64_t number = 0;
    std::uint64_t* word = part().payload();
    *word++ = number++;
    for (const Entry& entry : entries) {
      if (end_ - word < static_cast<std::ptrdiff_t>(changed_bytes::size_of(entry))) {
        seal(run, timestamp, word, flags);
        enter_next_segment();
        word = part().payload();
        *word++ = number++;
      }
      word = changed_bytes::put(entry, word);
    }
    seal(run, timestamp, word, flags | CommitRecordPart::is_last);
  }

  bool make_room(alloc::Heap& heap, const Watermark& watermark, std::size_t payload_words);
  bool take_segment(alloc::Heap& heap, const Watermark& watermark);
  bool is_past(const Segment& segment, const Watermark& watermark) const;
  void enter_next_segment();
  void leave_segment();
  void remove_oldest();

  // The owner's alone.
  std::uint64_t* next_ = nullptr;  // where the next part goes
  std::uint64_t* end_ = nullptr;   // of the youngest segment
  std::uint64_t last_ = 0;         // timestamp of the last record
  std::size_t appended_bytes_ = 0;

  alignas(64) std::atomic<std::uint64_t> completed_{0};
  std::atomic<bool> in_use_{false};

  alignas(64) sync::SpinLock lock_;  // for all that follows, except the reading of what is atomic
  std::atomic<std::uint64_t> flushed_through_{0};
  Position flushed_;
  std::uint64_t first_ = 0;            // number of the oldest segment
  std::deque<Segment> segments_;       // oldest first
  std::vector<SegmentHeader*> ready_;  // to come next
};

}  // namespace perdure::log

#endif
