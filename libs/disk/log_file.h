#ifndef PERDURE_DISK_LOG_FILE_H
#define PERDURE_DISK_LOG_FILE_H

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "disk/block_file.h"
#include "disk/superblock.h"

namespace perdure::disk {

/// The file itself, where a symbolic link leads to it: what belongs to a pool lies beside that.
std::filesystem::path followed(const std::filesystem::path& path);
/// The name of a pool's log, which may be a symbolic link to where it lies: "pool.log".
std::filesystem::path log_path(const std::filesystem::path& pool);
/// Where a log is put that lay there and belongs to another pool.
std::filesystem::path orphan_path(const std::filesystem::path& pool);

/// Blocks of the ring for an image that may grow to so many bytes (0: any number): as many, between 4 and 64 MiB. More
/// would make checkpoints rarer, and pools slower to make.
std::uint64_t default_log_blocks(std::uint64_t image_bytes);

/// Makes a log of `blocks` blocks and one for the superblock, which is empty. Zeros have been written to all of it,
/// once: space that is only reserved would cost a change of metadata with each first write. It has its name when it is
/// complete, and is durable.
/// \param pool  for messages.
/// \throws PoolError: no_space, no_permission, system; usage where the file system has no direct output.
std::unique_ptr<BlockFile> create_log(Volume& volume, const std::filesystem::path& path, std::uint64_t blocks,
                                      const std::filesystem::path& pool);

/// An existing one. \throws PoolError: Kind::damaged when there is none.
std::unique_ptr<BlockFile> open_log(Volume& volume, const std::filesystem::path& path,
                                    const std::filesystem::path& pool);

using Duration = std::chrono::nanoseconds;

/// By the medians of what was measured. RWF_DSYNC may have several writes in flight, and on most devices is as fast or
/// faster; some slow it down to a multiple.
SyncMethod choose_method(std::span<Duration> durable_writes, std::span<Duration> sync_after);

/// Finds out which method suits the device, by writing zeros to a ring that is empty. \throws PoolError (system).
SyncMethod probe(BlockFile& log, const std::filesystem::path& pool);

/// By the durable writes a second that were measured with 1, 2, 4 … at once: as many as it gains from.
unsigned choose_in_flight(std::span<const double> writes_per_second);

/// Finds out how many durable writes at once the device gains from, likewise. \throws PoolError (system).
unsigned probe_in_flight(BlockFile& log, const std::filesystem::path& pool);

}  // namespace perdure::disk

#endif
