#ifndef PERDURE_DISK_RECOVER_IMAGE_H
#define PERDURE_DISK_RECOVER_IMAGE_H

#include <filesystem>

#include "disk/block_file.h"
#include "disk/log_reader.h"
#include "disk/superblock.h"

namespace perdure::disk {

/// Replays the log over the image, and says in the superblocks that the image holds all of it. May be cut short
/// anywhere and done again. \returns where the log ends.
/// \throws PoolError: Kind::damaged, and nothing has been changed; Kind::system.
LogEnd recover_image(BlockFile& image, BlockFile& log, Superblocks& superblocks, const std::filesystem::path& pool);

}  // namespace perdure::disk

#endif
