#ifndef PERDURE_DISK_IMAGE_FILE_H
#define PERDURE_DISK_IMAGE_FILE_H

#include <cstddef>
#include <filesystem>
#include <memory>

#include "disk/block_file.h"
#include "disk/block_memory.h"
#include "disk/superblock.h"
#include "pool/format.h"

/// The file of a pool that has a log beside it, or gets one: what is read and written of it past any mapping.
namespace perdure::disk {

/// The files of this machine, unless a test has set others.
Volume& volume() noexcept;
void set_volume(Volume* volume) noexcept;

/// \throws PoolError: usage where the file system has no direct output, and others.
std::unique_ptr<BlockFile> open_image(const std::filesystem::path& pool);

/// Both places of the superblock.
Superblocks superblocks_of(BlockFile& image, BlockFile& log);

/// \throws PoolError when `error` is one. \param what  was being done.
void require_done(int error, const std::filesystem::path& pool, const char* what);

/// Both copies of the pool's header.
class Headers {
 public:
  /// \throws PoolError (system)
  Headers(BlockFile& image, const std::filesystem::path& pool);

  /// Null when none counts.
  pool::Header* newest();
  /// Changes the header, durably: the older copy first, so one of them is whole at any moment. \throws PoolError
  void write(BlockFile& image, pool::Header header, const std::filesystem::path& pool);

 private:
  static_assert(pool::page_bytes == block_bytes);
  pool::Header& copy(std::size_t number) { return memory_.as<pool::Header>(number * pool::page_bytes); }

  BlockMemory memory_{pool::header_copies * pool::page_bytes};
};

}  // namespace perdure::disk

#endif
