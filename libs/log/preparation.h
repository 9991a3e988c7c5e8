#ifndef PERDURE_LOG_PREPARATION_H
#define PERDURE_LOG_PREPARATION_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "log/decisions.h"
#include "log/record.h"
#include "pool/checksum.h"

namespace perdure::log {

/// Says of a log in this pool that it is a part of a transaction over several pools, and where that is decided. Lies in
/// a segment of its own (kind `prepared`), and vouches for itself: it counts if its status is its checksum.
///
/// - A redo log whose status is `inactive` counts if the transaction was decided. It is younger than whatever else
///   there is about its locations, so it is replayed last.
/// - An undo log that is active does not count any more if the transaction was decided.
/// - Of any other log a preparation says nothing: the decision has been carried out.
struct Preparation {
  SegmentHeader header;  ///< of it only kind and status are the preparation's
  TransactionId transaction;
  pool::Uuid coordinator;
  std::uint64_t run;             ///< of this pool
  std::uint64_t log;             ///< address of its first segment
  std::uint64_t log_generation;  ///< undo: that of the first segment
  std::uint64_t path_bytes;
  /// Where the coordinator was: its absolute path, and its path from the folder of this pool, each ended by a zero; or
  /// nothing, when that is too long.
  std::array<char, 8192> path;

  bool counts() const {
    return header.kind == LogKind::prepared && header.status != inactive && path_bytes <= path.size() &&
           header.status == right_status();
  }
  /// What has to be flushed.
  std::size_t bytes() const { return offsetof(Preparation, path) + path_bytes; }

  std::uint64_t right_status() const {
    constexpr std::size_t begin = offsetof(Preparation, transaction);
    return std::max<std::uint64_t>(1, pool::checksum(&transaction, bytes() - begin));
  }
};
static_assert(sizeof(Preparation) <= segment_bytes && offsetof(Preparation, path) == 128);

}  // namespace perdure::log

#endif
