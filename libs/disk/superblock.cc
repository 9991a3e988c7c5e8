#include "disk/superblock.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "disk/block_memory.h"
#include "persist/fault.h"
#include "pool/checksum.h"
#include "pool/refuse.h"

namespace perdure::disk {
namespace {

using Kind = PoolError::Kind;

constexpr std::array<char, 8> magic = {'P', 'E', 'R', 'D', 'L', 'O', 'G', '\n'};

std::uint64_t right_checksum(const Superblock& superblock) {
  return pool::checksum(&superblock, offsetof(Superblock, checksum));
}

std::uint64_t block_of(const SuperblockPlace& place) { return place.offset / block_bytes * block_bytes; }

/// Nothing when it does not count.
std::optional<Superblock> read_copy(const SuperblockPlace& place, const std::filesystem::path& path) {
  BlockMemory block(block_bytes);
  if (const int error = place.file->read(block_of(place), block.data(), block_bytes); error != 0)
    pool::refuse_errno(error, path, "reading the superblock of its log");
  Superblock copy;
  std::memcpy(&copy, block.data() + place.offset % block_bytes, sizeof(copy));
  const bool counts = copy.magic == magic && copy.checksum == right_checksum(copy);
  return counts ? std::optional(copy) : std::nullopt;
}

void require_same_time(const Superblock& image, const Superblock& log, const std::filesystem::path& path) {
  const auto [older, newer] = std::minmax(image.generation, log.generation);
  if (image.uuid == log.uuid && newer - older <= 1) return;
  pool::refuse(Kind::damaged, path,
               "and its log are not of one time: one of them was copied or restored alone. Restore both from one "
               "backup.");
}

}  // namespace

Superblock Superblocks::make(const pool::Uuid& uuid, std::uint64_t blocks, SyncMethod method, unsigned in_flight) {
  Superblock superblock{};
  superblock.magic = magic;
  superblock.version = superblock_version;
  superblock.uuid = uuid;
  superblock.blocks = blocks;
  superblock.method = method;
  superblock.in_flight = in_flight;
  superblock.is_closed = 1;
  return superblock;
}

Superblock Superblocks::find(const std::filesystem::path& path) {
  const auto image = read_copy(places_[0], path);
  const auto log = read_copy(places_[1], path);
  if (!image && !log)
    pool::refuse(Kind::damaged, path, "has no superblock of its log that is whole. Restore a backup.");
  if (image && log) require_same_time(*image, *log, path);
  const bool log_counts = !image || (log && log->generation > image->generation);
  current_ = log_counts ? *log : *image;
  first_ = log_counts ? 0 : 1;
  if (current_.version > superblock_version)
    pool::refuse(Kind::wrong_version, path, "has a log that a newer version made. Open it with that version.");
  return current_;
}

int Superblocks::write_copy(std::size_t copy) noexcept {
  const SuperblockPlace& place = places_[copy];
  BlockMemory block(block_bytes);
  if (const int error = place.file->read(block_of(place), block.data(), block_bytes); error != 0) return error;
  std::memcpy(block.data() + place.offset % block_bytes, &current_, sizeof(current_));
  return place.file->write(block_of(place), block.data(), block_bytes);
}

int Superblocks::write(Superblock superblock) noexcept {
  superblock.version = superblock_version;
  superblock.generation = current_.generation + 1;
  superblock.checksum = right_checksum(superblock);
  current_ = superblock;
  for (const std::size_t copy : {first_, 1 - first_}) {
    if (const int error = write_copy(copy); error != 0) return error;
    // Before the other copy is touched: at any moment one of them is whole.
    if (copy == first_ && persistence::is_seeded(persistence::Fault::superblocks_at_once)) continue;
    if (const int error = places_[copy].file->sync(); error != 0) return error;
  }
  if (persistence::is_seeded(persistence::Fault::superblocks_at_once)) return places_[first_].file->sync();
  first_ = 0;
  return 0;
}

}  // namespace perdure::disk
