#ifndef PERDURE_DISK_IMAGE_PAGES_H
#define PERDURE_DISK_IMAGE_PAGES_H

#include <cstdint>
#include <filesystem>
#include <map>

#include "disk/block_file.h"
#include "disk/block_memory.h"

namespace perdure::disk {

/// The image while its log is replayed: pages that have changed, in memory, written when there are many.
class ImagePages {
 public:
  ImagePages(BlockFile& image, const std::filesystem::path& pool) : image_(image), pool_(pool) {}

  /// Stores the bytes of a word that `bytes` has bits for. \throws PoolError (system)
  void store(std::uint64_t offset, std::uint64_t value, std::uint8_t bytes);

  /// All that was stored is durable when it returns. \throws PoolError (system)
  void complete();

 private:
  static constexpr std::size_t most_pages = 4096;

  BlockMemory& page_at(std::uint64_t offset);
  void write_pages();
  void sync();

  BlockFile& image_;
  const std::filesystem::path& pool_;
  std::map<std::uint64_t, BlockMemory> pages_;  // by offset
};

}  // namespace perdure::disk

#endif
