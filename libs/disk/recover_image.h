#ifndef PERDURE_DISK_RECOVER_IMAGE_H
#define PERDURE_DISK_RECOVER_IMAGE_H

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>

#include "disk/block_file.h"
#include "disk/log_reader.h"
#include "disk/page_sums.h"
#include "disk/superblock.h"

namespace perdure::disk {

/// Replays the log over the image, and says in the superblocks that the image holds all of it. May be cut short
/// anywhere and done again. \returns where the log ends.
/// \throws PoolError: Kind::damaged, and nothing has been changed; Kind::system.
/// \param superblocks  that have been found.
LogEnd recover_image(BlockFile& image, BlockFile& log, Superblocks& superblocks, PageSums& sums,
                     const std::filesystem::path& pool);

/// The same for a pool that is not open, and locked. Its pages may be written by others then. \throws PoolError
void recover_image(const std::filesystem::path& pool);

/// What the log holds, stored to memory that holds the first `bytes` of the image. Changes no file. \throws PoolError
void replay_in_memory(const std::filesystem::path& pool, std::byte* memory, std::uint64_t bytes);

/// Which pages of the image it tells of, by number. Changes nothing. \throws PoolError
std::set<std::uint64_t> pages_in_log(BlockFile& log, const Superblock& superblock, const std::filesystem::path& pool);

}  // namespace perdure::disk

#endif
