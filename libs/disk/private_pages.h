#ifndef PERDURE_DISK_PRIVATE_PAGES_H
#define PERDURE_DISK_PRIVATE_PAGES_H

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "disk/block_file.h"
#include "disk/dirty_pages.h"
#include "disk/page_bitmap.h"

namespace perdure::disk {

/// Pages of an image that were stored to, and so are memory of this process that the system cannot take back. Once a
/// checkpoint has written them, they can be given up: what is read next comes from the file.
class PrivatePages {
 public:
  explicit PrivatePages(std::uint64_t image_bytes)
      : pages_((image_bytes + block_bytes - 1) / block_bytes), written_(pages_), kept_(pages_) {}

  /// A checkpoint has written them. (One at a time.)
  void add(std::uint64_t offset, std::size_t bytes);
  std::uint64_t bytes() const { return count_.load(std::memory_order_relaxed) * block_bytes; }

  /// The range is stored to outside of transactions, too: its pages are never given up.
  void keep(std::uint64_t offset, std::size_t bytes) {
    for (std::uint64_t page = offset / block_bytes; page <= (offset + bytes - 1) / block_bytes; ++page) kept_.set(page);
  }

  /// Gives up those that are not dirty. No transaction runs, and nobody stores to what is not kept.
  void give_up(std::byte* image, const DirtyPages& dirty) noexcept;

 private:
  std::uint64_t pages_;
  PageBitmap written_;
  PageBitmap kept_;
  std::atomic<std::uint64_t> count_{0};
};

}  // namespace perdure::disk

#endif
