#ifndef PERDURE_DISK_LOG_READER_H
#define PERDURE_DISK_LOG_READER_H

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>

#include "disk/block_file.h"
#include "disk/superblock.h"

namespace perdure::disk {

/// Where a log ends, and what was in it.
struct LogEnd {
  LogPoint point;
  std::uint64_t run = 0;  ///< the last that began
  std::uint64_t groups = 0;
  std::uint64_t records = 0;
};

/// What was appended at once.
struct LogRecord {
  std::uint64_t run;  ///< in which it was appended
  std::uint32_t tag;
  std::span<const std::uint64_t> payload;
};
using RecordSink = std::function<void(const LogRecord&)>;

/// Reads the log from where its superblock says, up to the first group that does not count, and hands each whole
/// record to `take` in the order in which they were appended. All that it hands out is durable: a killed process may
/// have written groups and not flushed them. Changes nothing.
/// \param path  of the pool, for messages.
/// \throws PoolError: Kind::damaged where a group is missing that was acknowledged, for a later one says so;
/// Kind::system when the disk fails.
LogEnd read_log(BlockFile& file, const Superblock& superblock, const std::filesystem::path& path,
                const RecordSink& take);

}  // namespace perdure::disk

#endif
