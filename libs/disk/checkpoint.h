#ifndef PERDURE_DISK_CHECKPOINT_H
#define PERDURE_DISK_CHECKPOINT_H

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "disk/log_ring.h"
#include "disk/page_sums.h"
#include "disk/superblock.h"
#include "persist/fault.h"

namespace perdure::disk {

inline constexpr std::size_t most_unsynced_bytes = std::size_t{1} << 20;

/// Copied pages that lie side by side in the image.
struct PageExtent {
  std::uint64_t offset = 0;
  const std::byte* data = nullptr;
  std::size_t bytes = 0;
  bool is_ordered = false;  ///< durable before the next one is written
};

/// What a checkpoint writes.
///
/// - `await_write_back()`: returns when all that was appended before the call is in memory, and its pages are known to
///   be dirty; those are what is written.
/// - `next(extent)`: copies some of them, a consistent copy of each 8-byte word. \returns false when there are no more.
/// - `written(extent)`: so it is. Now is the time for a rest.
template <class P>
concept PageSource = requires(P& pages, PageExtent& extent) {
  pages.await_write_back();
  { pages.next(extent) } -> std::same_as<bool>;
  pages.written(extent);
};

/// Brings the image up to what the log holds now, so that the log before may be written over. Commits go on meanwhile.
///
/// A page holds what is not durable yet, perhaps: it is written when the log is durable up to where it ended after the
/// page was copied. So nothing is in the image that recovery could not complete. The superblock comes when the pages
/// are durable, and only then the log is let go. Pages are made durable a few at a time: many at once would hold up the
/// device, and the commits with it.
///
/// Their checksums are durable before the superblock, too; in which order with the pages does not matter: whatever is
/// written, the log holds, from the superblock before on, records of these pages, for they were marked when that
/// checkpoint had taken its marks.
/// \param sums  null: there are none.
/// \param closes  nobody changes anything any more, and all is in the log.
/// \returns 0 or an errno; the log is poisoned then.
/// \throws DurabilityError
template <PageSource Pages>
int write_checkpoint(LogRing& log, Superblocks& superblocks, BlockFile& image, Pages& pages, bool closes = false,
                     PageSums* sums = nullptr) {
  using persistence::Fault;
  using persistence::is_seeded;
  const LogPoint begin = log.mark();
  pages.await_write_back();
  Superblock superblock = superblocks.current();
  superblock.begin = begin;
  superblock.run = log.run();
  superblock.is_closed = closes ? 1 : 0;

  const auto write_all = [&] {
    if (is_seeded(Fault::superblock_before_image))
      if (const int error = superblocks.write(superblock); error != 0) return error;
    if (is_seeded(Fault::log_reused_early)) log.free_before(begin);
    std::size_t unsynced = 0;
    if (sums != nullptr) sums->begin(superblock.stamp);
    for (PageExtent extent; pages.next(extent);) {
      if (!is_seeded(Fault::image_before_log)) log.await_for_checkpoint(log.appended());
      if (const int error = image.write(extent.offset, extent.data, extent.bytes); error != 0) return error;
      if (sums != nullptr) sums->put_all(extent.offset / block_bytes, extent.data, extent.bytes);
      unsynced += extent.bytes;
      if (extent.is_ordered || unsynced >= most_unsynced_bytes) {
        if (const int error = image.sync(); error != 0) return error;
        unsynced = 0;
      }
      pages.written(extent);
    }
    if (const int error = image.sync(); error != 0) return error;
    superblock.stamp = sums != nullptr ? sums->complete() : 0;
    return is_seeded(Fault::superblock_before_image) ? 0 : superblocks.write(superblock);
  };
  const int error = write_all();
  if (error != 0)
    log.poison(error);
  else
    log.free_before(begin);
  return error;
}

}  // namespace perdure::disk

#endif
