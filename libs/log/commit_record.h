#ifndef PERDURE_LOG_COMMIT_RECORD_H
#define PERDURE_LOG_COMMIT_RECORD_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "log/checked_number.h"
#include "log/record.h"
#include "persist/domain.h"
#include "pool/checksum.h"
#include "pool/format.h"

/// Self-validating records as they lie in the pool (docs/pool-format.md): all that the mode `fast` writes to make a
/// transaction durable. A segment of them is a header line (log/record.h, kind `records`) followed by parts, each at
/// the start of a line, one behind the other.
///
/// A part counts if its checksum is right, which depends on the run and on the place: so one that was cut short by a
/// crash, one of an earlier run, and one that was copied from elsewhere do not count. A transaction counts if all its
/// parts do; it has been written to its place, durably, if its timestamp is not above the pool's watermark.
///
/// Invariant: parts are only written over parts of transactions up to the durable watermark. So in a segment the parts
/// that count come first, in ascending order; then at most one that was cut short; then older ones that do not matter.
namespace perdure::log {

struct CommitRecordPart {
  std::uint64_t head;      ///< timestamp, flags and length, see below
  std::uint64_t checksum;  ///< of the run, the place, the head and the payload

  // The payload follows: in a transaction of several parts the number of this part; then what has changed
  // (log/changed_bytes.h).

  static constexpr unsigned timestamp_shift = 16;
  static constexpr std::uint64_t is_of_several = 1 << 15;
  static constexpr std::uint64_t is_last = 1 << 14;
  static constexpr std::uint64_t length_mask = is_last - 1;
  static constexpr std::size_t head_words = 2;

  std::uint64_t timestamp() const { return head >> timestamp_shift; }
  bool of_several() const { return (head & is_of_several) != 0; }
  bool last() const { return (head & is_last) != 0; }
  std::size_t payload_words() const { return head & length_mask; }

  const std::uint64_t* payload() const { return &head + head_words; }
  std::uint64_t* payload() { return &head + head_words; }

  /// Of the whole part, with what is left of its last line.
  std::size_t bytes() const {
    constexpr std::size_t mask = persistence::line_bytes - 1;
    return ((head_words + payload_words()) * sizeof(std::uint64_t) + mask) & ~mask;
  }

  std::uint64_t right_checksum(std::uint64_t run) const {
    const std::uint64_t seed = pool::mix(run, reinterpret_cast<std::uintptr_t>(this)) ^ head;
    return XXH3_64bits_withSeed(payload(), payload_words() * sizeof(std::uint64_t), seed);
  }

  /// log/changed_bytes.h
  std::span<const std::uint64_t> changed_bytes() const {
    return std::span(payload(), payload_words()).subspan(of_several() ? std::min<std::size_t>(1, payload_words()) : 0);
  }
};
static_assert(sizeof(CommitRecordPart) == CommitRecordPart::head_words * sizeof(std::uint64_t));

/// Where the parts lie in a segment. The crash simulator makes do with two lines, so that logs wrap around and
/// records have several parts in short workloads.
struct RecordArea {
#ifdef PERDURE_SIMULATED
  static constexpr std::size_t end = 3 * persistence::line_bytes;
#else
  static constexpr std::size_t end = segment_bytes;
#endif
  static constexpr std::size_t begin = sizeof(SegmentHeader);
  static constexpr std::size_t payload_words = (end - begin) / sizeof(std::uint64_t) - CommitRecordPart::head_words;
  static_assert(payload_words <= CommitRecordPart::length_mask);
};

/// The page at pool::watermark_offset: what the logs in the pool are read by.
///
/// The run is durable before a record is written in it, and changed only when no record of the last one is needed any
/// more; the other numbers of a run start at 0. All lie in one line: whoever sees a new watermark sees its run.
struct alignas(64) RecordWatermark {
  CheckedNumber run;        ///< counts how often the pool was opened
  CheckedNumber watermark;  ///< of records: every transaction up to this time is in its place, durably
  CheckedNumber retired;    ///< redo logs up to this time do not count, whatever their status (log/retirement.h)

  bool is_sound() const { return run.is_sound() && watermark.is_sound() && retired.is_sound(); }
};
static_assert(sizeof(CheckedNumber) == persistence::atomic_bytes);

/// \param pool  its first byte.
inline RecordWatermark& watermark_in(std::byte* pool) {
  return *reinterpret_cast<RecordWatermark*>(pool + pool::watermark_offset);
}

}  // namespace perdure::log

#endif
