#ifndef PERDURE_DISK_PAGE_SUMS_H
#define PERDURE_DISK_PAGE_SUMS_H

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "disk/block_file.h"
#include "disk/block_memory.h"
#include "disk/superblock.h"

namespace perdure::disk {

/// Where the checksums of a pool's pages lie: "pool.sums".
std::filesystem::path sums_path(const std::filesystem::path& pool);

/// Of a page of the image. 0 stands for a page of zeros: so what the file grows by has the right one, and a hole in the
/// table is right for a hole in the image. It depends on the place, so a page that the device has put elsewhere is
/// found, too. \param seed  of the pool, see `seed_of`.
std::uint64_t sum_of_page(std::uint64_t page, const std::byte* data, std::uint64_t seed);

/// Checksums of the pages of an image, in a file of their own: a device that returns something else than it was given,
/// and does not say so, is found out.
///
/// A page and its checksum cannot be written at once. They need not be: whoever writes pages (a checkpoint, recovery)
/// first says so here, durably; and a page is only written while the log holds a record of it, which recovery would
/// replay. So a crash leaves pages in doubt that the log tells of, and no others; recovery writes these again, with
/// their checksums. The end is the superblock: it has a stamp, drawn for each time that pages are written, and this
/// file says from which stamp to which one it leads.
///
///   stamp of the superblock = `to`    all checksums are right
///                           = `from`  all are, but of pages that the log tells of
///   neither                           the file is of another time, or lost: the checksums are made anew
///
/// Nothing depends on them but finding damage. So an error here ends no pool: they are given up, and made anew when the
/// pool is opened next.
class PageSums {
 public:
  enum class State : std::uint8_t { right, in_doubt, unknown };

  /// Those that are there. \throws PoolError (system) when the file cannot be read.
  PageSums(Volume& volume, const std::filesystem::path& pool, const Superblock& superblock);

  State state() const { return state_; }
  /// A page that recovery found damaged, when it had begun to write already: it stays damaged.
  std::optional<std::uint64_t> damaged_page() const;

  // -- changing --

  /// Pages are going to be written, of an image whose superblock has the stamp `from`. Durable when it returns.
  void begin(std::uint64_t from) noexcept;
  /// In any order; in that of the pages it is fast.
  void put(std::uint64_t page, std::uint64_t sum) noexcept;
  void put_all(std::uint64_t first_page, const std::byte* data, std::size_t bytes) noexcept;
  /// Makes them durable. Before the superblock. \returns the stamp that it is to have: 0 when there are no checksums.
  [[nodiscard]] std::uint64_t complete() noexcept;
  /// Those in doubt are right: the log tells of no page, so none was written.
  void settle() noexcept {
    if (state_ == State::in_doubt) state_ = State::right;
  }
  /// Instead: recovery cannot go on. Durable when it returns.
  void note_damage(std::uint64_t page) noexcept;

  /// Makes them anew, from what is there.
  void make_anew(BlockFile& image) noexcept;

  // -- reading --

  /// 0 behind the end. \returns 0 or an errno.
  [[nodiscard]] int get(std::uint64_t page, std::uint64_t& sum) noexcept;
  std::uint64_t seed() const { return seed_; }

 private:
  struct Head;
  static constexpr std::uint64_t sums_in_block = block_bytes / sizeof(std::uint64_t);

  int load(std::uint64_t block) noexcept;
  int store() noexcept;
  int write_head(std::uint64_t damaged) noexcept;
  int make_file() noexcept;
  int sum_up(BlockFile& image) noexcept;
  void give_up(int error) noexcept;

  Volume& volume_;
  const std::filesystem::path pool_;
  const pool::Uuid uuid_;
  const std::uint64_t seed_;
  std::unique_ptr<BlockFile> file_;
  State state_ = State::unknown;
  std::uint64_t from_ = 0;
  std::uint64_t to_ = 0;
  std::uint64_t damaged_ = 0;  // number of the page, and 1

  BlockMemory block_{block_bytes};  // of the table
  std::uint64_t loaded_ = 0;        // its number in the file; 0: none
  bool is_changed_ = false;
  bool is_synced_ = true;
};

}  // namespace perdure::disk

#endif
