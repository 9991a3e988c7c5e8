#include "disk/page_sums.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "disk/group.h"
#include "disk/log_file.h"
#include "persist/fault.h"
#include "pool/checksum.h"
#include "pool/format.h"
#include "pool/header.h"
#include "pool/refuse.h"

namespace perdure::disk {
namespace {

constexpr std::array<char, 8> magic = {'P', 'E', 'R', 'D', 'S', 'U', 'M', '\n'};
constexpr std::size_t read_at_once = std::size_t{1} << 20;

std::uint64_t draw_stamp() {
  const pool::Uuid drawn = pool::make_uuid();
  std::uint64_t stamp = 0;
  std::memcpy(&stamp, drawn.data(), sizeof(stamp));
  return stamp | 1;  // 0 is none
}

bool is_zero(const std::byte* data, std::size_t bytes) {
  return data[0] == std::byte{0} && std::memcmp(data, data + 1, bytes - 1) == 0;
}

}  // namespace

std::filesystem::path sums_path(const std::filesystem::path& pool) { return followed(pool).string() + ".sums"; }

std::uint64_t sum_of_page(std::uint64_t page, const std::byte* data, std::uint64_t seed) {
  // The superblock changes by itself, and has a checksum of its own.
  static_assert((pool::log_superblock_offset + sector_bytes) % block_bytes == 0);
  const bool has_superblock = page == pool::log_superblock_offset / block_bytes;
  const std::size_t bytes = has_superblock ? block_bytes - sector_bytes : block_bytes;
  if (is_zero(data, bytes)) return 0;
  return std::max<std::uint64_t>(pool::checksum(data, bytes, pool::mix(seed, page)), 1);
}

/// The first sector.
struct PageSums::Head {
  std::array<char, 8> magic;
  std::uint64_t version;
  pool::Uuid uuid;
  std::uint64_t from;
  std::uint64_t to;
  std::uint64_t damaged;
  std::uint64_t checksum;

  std::uint64_t right_checksum() const { return pool::checksum(this, offsetof(Head, checksum)); }
};

PageSums::PageSums(Volume& volume, const std::filesystem::path& pool, const Superblock& superblock)
    : volume_(volume), pool_(pool), uuid_(superblock.uuid), seed_(seed_of(superblock.uuid)) {
  OpenedFile opened = volume.open(sums_path(pool));
  if (opened.error != 0) return;
  file_ = std::move(opened.file);
  BlockMemory block(block_bytes);
  if (const int error = file_->read(0, block.data(), block_bytes); error != 0)
    pool::refuse_errno(error, pool, "reading '" + sums_path(pool).string() + "'");
  const auto& head = block.as<Head>();
  if (head.magic != magic || head.version != 1 || head.uuid != uuid_ || head.checksum != head.right_checksum()) return;
  if (superblock.stamp == 0) return;
  if (superblock.stamp != head.to && superblock.stamp != head.from) return;
  state_ = superblock.stamp == head.to ? State::right : State::in_doubt;
  damaged_ = head.damaged;
}

std::optional<std::uint64_t> PageSums::damaged_page() const {
  return state_ == State::in_doubt && damaged_ != 0 ? std::optional(damaged_ - 1) : std::nullopt;
}

// -- the table --------------------------------------------------------------------------------------------------------

int PageSums::store() noexcept {
  if (!is_changed_) return 0;
  is_changed_ = false;
  is_synced_ = false;
  const std::uint64_t offset = loaded_ * block_bytes;
  if (file_->size() < offset + block_bytes)
    if (const int error = file_->resize(offset + block_bytes); error != 0) return error;
  return file_->write(offset, block_.data(), block_bytes);
}

/// Its entries are 8 bytes: a sector that is torn off leaves none that is neither old nor new.
int PageSums::load(std::uint64_t block) noexcept {
  if (block == loaded_) return 0;
  if (const int error = store(); error != 0) return error;
  loaded_ = 0;
  if (const int error = file_->read(block * block_bytes, block_.data(), block_bytes); error != 0) return error;
  loaded_ = block;
  return 0;
}

int PageSums::get(std::uint64_t page, std::uint64_t& sum) noexcept {
  const int error = load(1 + page / sums_in_block);
  sum = error == 0 ? block_.as<std::uint64_t>(page % sums_in_block * sizeof(sum)) : 0;
  return error;
}

void PageSums::put(std::uint64_t page, std::uint64_t sum) noexcept {
  if (state_ != State::in_doubt) return;
  if (const int error = load(1 + page / sums_in_block); error != 0) return give_up(error);
  auto& entry = block_.as<std::uint64_t>(page % sums_in_block * sizeof(sum));
  is_changed_ |= entry != sum;
  entry = sum;
}

void PageSums::put_all(std::uint64_t first_page, const std::byte* data, std::size_t bytes) noexcept {
  for (std::size_t at = 0; at < bytes; at += block_bytes) {
    const std::uint64_t page = first_page + at / block_bytes;
    put(page, sum_of_page(page, data + at, seed_));
  }
}

// -- from one state of the image to the next --------------------------------------------------------------------------

int PageSums::write_head(std::uint64_t damaged) noexcept {
  BlockMemory block(block_bytes);
  auto& head = block.as<Head>();
  head = {magic, 1, uuid_, from_, to_, damaged, 0};
  head.checksum = head.right_checksum();
  if (const int error = file_->write(0, block.data(), block_bytes); error != 0) return error;
  return file_->sync();
}

void PageSums::begin(std::uint64_t from) noexcept {
  if (state_ == State::unknown) return;
  from_ = from;
  to_ = draw_stamp();
  state_ = State::in_doubt;
  if (persistence::is_seeded(persistence::Fault::sums_not_begun)) return;
  if (const int error = write_head(0); error != 0) give_up(error);
}

std::uint64_t PageSums::complete() noexcept {
  if (state_ != State::in_doubt) return 0;
  int error = store();
  if (persistence::is_seeded(persistence::Fault::sums_not_begun)) error = write_head(0);
  if (error == 0 && !is_synced_) error = file_->sync();
  if (error != 0) return give_up(error), 0;
  is_synced_ = true;
  state_ = State::right;
  return to_;
}

void PageSums::note_damage(std::uint64_t page) noexcept {
  if (state_ != State::in_doubt) return;
  if (const int error = write_head(page + 1); error != 0) give_up(error);
}

/// The superblock gets no stamp from now on that this file knows.
void PageSums::give_up(int error) noexcept {
  state_ = State::unknown;
  std::fprintf(stderr,
               "perdure: the checksums of pool '%s' cannot be kept (%s): damage to its pages is not found any more. "
               "They are made anew when it is opened next.\n",
               pool_.c_str(), std::strerror(error));
}

// -- anew -------------------------------------------------------------------------------------------------------------

int PageSums::make_file() noexcept {
  OpenedFile created = volume_.create(sums_path(pool_));
  if (created.error != 0) return created.error;
  file_ = std::move(created.file);
  loaded_ = 0;
  is_changed_ = false;
  return volume_.sync_folder_of(sums_path(pool_));
}

int PageSums::sum_up(BlockFile& image) noexcept {
  BlockMemory data(read_at_once);
  const std::uint64_t end = image.size() / block_bytes * block_bytes;
  for (std::uint64_t at = 0; (at = image.next_data(at) / block_bytes * block_bytes) < end; at += read_at_once) {
    const std::size_t bytes = std::min<std::uint64_t>(read_at_once, end - at);
    if (const int error = image.read(at, data.data(), bytes); error != 0) return error;
    put_all(at / block_bytes, data.data(), bytes);
  }
  return 0;
}

void PageSums::make_anew(BlockFile& image) noexcept {
  int error = make_file();
  if (error != 0) return give_up(error);
  state_ = State::in_doubt;
  error = sum_up(image);
  if (state_ == State::unknown) return;
  if (error == 0) error = store();
  if (error == 0) error = file_->sync();
  if (error != 0) return give_up(error);
  // The head is written by who goes on, in `begin`: nothing changes up to then.
  state_ = State::right;
}

}  // namespace perdure::disk
