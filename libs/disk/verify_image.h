#ifndef PERDURE_DISK_VERIFY_IMAGE_H
#define PERDURE_DISK_VERIFY_IMAGE_H

#include <cstdint>
#include <filesystem>
#include <vector>

#include "disk/block_file.h"
#include "disk/page_sums.h"

/// Whether the pages of an image are what was written there last. Nothing is changed.
namespace perdure::disk {

struct PageCheck {
  PageSums::State sums = PageSums::State::unknown;
  std::uint64_t verified = 0;  ///< pages; holes count, too
  std::uint64_t in_doubt = 0;  ///< a crash came while they were written; recovery writes them again
  std::vector<std::uint64_t> damaged;
};

/// All pages of a pool that is locked. \throws PoolError
PageCheck check_pages(const std::filesystem::path& pool);

/// Those that every program relies on, which are few; or all. \throws PoolError (Kind::damaged)
enum class Extent : std::uint8_t { front, all };
void require_sound_pages(BlockFile& image, PageSums& sums, Extent extent, const std::filesystem::path& pool);

/// \throws PoolError (Kind::damaged), which says what to do.
[[noreturn]] void refuse_damaged_page(std::uint64_t page, const std::filesystem::path& pool);

}  // namespace perdure::disk

#endif
