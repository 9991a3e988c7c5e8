#ifndef PERDURE_DISK_IMAGE_REPLAY_H
#define PERDURE_DISK_IMAGE_REPLAY_H

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "disk/block_file.h"
#include "disk/change_record.h"
#include "disk/page_sums.h"

namespace perdure::disk {

/// The image while its log is replayed. What the log holds is collected, and then each page that it tells of is read
/// once, changed, and written, by several threads: a device answers many at once sooner than one after the other.
class ImageReplay {
 public:
  /// \param stamp  of the superblock.
  ImageReplay(BlockFile& image, PageSums& sums, std::uint64_t stamp, const std::filesystem::path& pool)
      : image_(image), sums_(sums), stamp_(stamp), pool_(pool), verifies_(sums.state() == PageSums::State::right) {}

  /// What comes later is stored over what came before. The items are well formed, at offsets that are multiples of 8.
  /// \throws PoolError like `complete`
  void add(Words items);

  /// All that was added is in the image, durably. \returns the stamp of its checksums, which are durable, too.
  /// \throws PoolError: damaged, where a page is not what was written last; system
  std::uint64_t complete();

 private:
  /// That an item stores something in a page: the page's number, and below it the item's. In their order the last
  /// change of a word comes last.
  using Part = std::uint64_t;
  static constexpr unsigned page_shift = 32;
  /// A page, and what is stored in it.
  struct Page {
    std::uint64_t number;
    std::span<const Part> parts;
    std::uint64_t sum = 0;  // that it should have, then the one that it gets
  };
  using Extent = std::span<Page>;  // they lie side by side
  class Workers;

  Words keep(Words items);
  void write_pages();
  std::vector<Page> sorted_pages();
  void replay(std::span<Page> pages);
  void sync();

  static constexpr std::size_t most_kept_words = std::size_t{32} << 20;
  static constexpr std::size_t chunk_words = std::size_t{128} << 10;

  BlockFile& image_;
  PageSums& sums_;
  const std::uint64_t stamp_;
  const std::filesystem::path& pool_;
  const bool verifies_;
  bool has_begun_ = false;
  std::vector<Part> parts_;
  std::vector<Words> items_;                              // each up to the end of its change
  std::vector<std::unique_ptr<std::uint64_t[]>> chunks_;  // what they are in
  std::size_t left_in_chunk_ = 0;
  std::size_t kept_words_ = 0;
};

}  // namespace perdure::disk

#endif
