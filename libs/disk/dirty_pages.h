#ifndef PERDURE_DISK_DIRTY_PAGES_H
#define PERDURE_DISK_DIRTY_PAGES_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "disk/block_memory.h"
#include "disk/checkpoint.h"
#include "disk/page_bitmap.h"

namespace perdure::disk {

/// Which pages of an image in memory have changed since they were last copied to its file: a bit each.
///
/// A thread stores first and marks then. So a page whose bit is taken holds everything that it was marked for; what is
/// stored later is marked later, and is for the next checkpoint.
class DirtyPages {
 public:
  explicit DirtyPages(std::uint64_t image_bytes)
      : pages_((image_bytes + block_bytes - 1) / block_bytes), bits_(pages_) {}

  /// Between the stores and the marks of a thread. `mark` only looks where the bit is set already, and a load may
  /// overtake a store: without this the page could be copied in between, and the store be in no checkpoint.
  static void stored() { std::atomic_thread_fence(std::memory_order_seq_cst); }

  /// The bytes at `offset` have been stored, before `stored()`.
  void mark(std::uint64_t offset, std::size_t bytes) {
    for (std::uint64_t page = offset / block_bytes; page <= (offset + bytes - 1) / block_bytes; ++page) bits_.set(page);
  }

  /// There are no more pages that can be dirty. \param image_bytes  at most those that were given at first.
  void limit(std::uint64_t image_bytes) { pages_ = (image_bytes + block_bytes - 1) / block_bytes; }

  /// Takes the next dirty pages, at most `most`, that lie side by side at `page` or behind it: they are clean then.
  /// \returns how many; 0 if there are none. `page` is the first of them.
  std::size_t take(std::uint64_t& page, std::size_t most);

  bool is_dirty(std::uint64_t page) const { return bits_.is_set(page); }
  std::uint64_t count() const;

 private:
  std::uint64_t pages_;
  PageBitmap bits_;
};

/// The dirty pages of an image in memory, as a checkpoint writes them: in their order, copied in extents.
class PageCopier {
 public:
  static constexpr std::size_t most_run_bytes = std::size_t{256} << 10;

  /// \param await_write_back  see PageSource in disk/checkpoint.h.
  /// \param when_written  for each extent.
  PageCopier(
      const std::byte* image, DirtyPages& dirty, std::function<void()> await_write_back,
      std::function<void(const PageExtent&)> when_written = [](const PageExtent&) {})
      : image_(image),
        dirty_(dirty),
        await_write_back_(std::move(await_write_back)),
        when_written_(std::move(when_written)),
        copy_(most_run_bytes) {}

  void await_write_back() {
    page_ = 0;
    await_write_back_();
  }
  bool next(PageExtent& extent);
  void written(const PageExtent& extent) const { when_written_(extent); }

 private:
  const std::byte* image_;
  DirtyPages& dirty_;
  std::function<void()> await_write_back_;
  std::function<void(const PageExtent&)> when_written_;
  BlockMemory copy_;
  std::uint64_t page_ = 0;
};
static_assert(PageSource<PageCopier>);

}  // namespace perdure::disk

#endif
