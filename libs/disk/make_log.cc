#include "disk/make_log.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <optional>

#include "disk/group.h"
#include "disk/image_file.h"
#include "disk/log_file.h"
#include "disk/page_sums.h"
#include "disk/recover_image.h"
#include "perdure/error.h"
#include "persist/fault.h"
#include "pool/header.h"
#include "pool/refuse.h"

namespace perdure::disk {
namespace {

using Kind = PoolError::Kind;
using std::filesystem::path;

constexpr std::uint64_t least_log_bytes = std::uint64_t{1} << 20;

/// What a superblock says alone, the other copy being lost, or of another time. Nothing when it does not count.
std::optional<Superblock> superblock_at(const SuperblockPlace& place, const path& pool) {
  try {
    return Superblocks(place, place).find(pool);
  } catch (const PoolError&) {
    return std::nullopt;
  }
}

/// What has the name of the log may be left over from an attempt to make one, or from a pool that was closed. One that
/// holds something belongs to a pool that was moved, removed or restored, and is kept.
void set_aside_log(const path& pool) {
  const path log = log_path(pool);
  {
    const OpenedFile opened = volume().open(log);
    if (opened.error == ENOENT) return;
    require_done(opened.error, pool, "looking for its log");
    const auto superblock = superblock_at({opened.file.get(), 0}, pool);
    if (!superblock || superblock->is_closed != 0) return;
  }
  const path kept = orphan_path(pool);
  require_done(volume().rename(log, kept), pool, "renaming a log that is not its own");
  require_done(volume().sync_folder_of(log), pool, "renaming a log that is not its own");
  std::fprintf(
      stderr, "perdure: '%s' holds transactions of another pool, or of another state of this one; it is kept as '%s'\n",
      log.c_str(), kept.c_str());
}

bool goes_with_its_log(BlockFile& image, const path& pool) {
  const OpenedFile log = volume().open(log_path(pool));
  if (log.error != 0) return log.error != ENOENT;  // who opens it tells why not
  try {
    superblocks_of(image, *log.file).find(pool);
    return true;
  } catch (const PoolError&) {
    return false;
  }
}

/// Where it lies that has that name.
path place_of_log(const path& pool, const pool::Uuid& uuid, const path& folder) {
  if (folder.empty()) return log_path(pool);
  // Pools of many folders may have their logs in one.
  constexpr std::size_t digits = 8;
  const std::string name = followed(pool).filename().string() + "." + pool::spell_uuid(uuid).substr(0, digits) + ".log";
  return std::filesystem::absolute(folder) / name;
}

void name_log(const path& place, const path& pool) {
  const path log = log_path(pool);
  if (place == log) return;
  const path unfinished = log.string() + ".creating";
  [[maybe_unused]] const int left_over = volume().remove(unfinished);
  require_done(volume().link(place, unfinished), pool, "naming its log");
  require_done(volume().rename(unfinished, log), pool, "naming its log");
  require_done(volume().sync_folder_of(log), pool, "naming its log");
}

/// How a device is best written to.
struct Device {
  SyncMethod method;
  unsigned in_flight;
};

Device try_out(BlockFile& log, const path& pool) {
  if (!volume().has_timing()) return {SyncMethod::durable_write, most_in_flight};
  const SyncMethod method = probe(log, pool);
  return {method, method == SyncMethod::durable_write ? probe_in_flight(log, pool) : 1};
}

std::uint64_t blocks_for(std::size_t bytes, std::size_t size_limit) {
  if (bytes == 0) return default_log_blocks(size_limit);
  return std::max<std::uint64_t>(bytes, least_log_bytes) / block_bytes;
}

}  // namespace

void make_log(const path& pool, const LogToMake& wanted) {
  const auto image = open_image(pool);
  Headers headers(*image, pool);
  const pool::Header* const header = headers.newest();
  if (header == nullptr) pool::refuse(Kind::damaged, pool, "has no header that is whole. Restore a backup.");
  if (header->state != pool::State::clean)
    pool::refuse(Kind::in_use, pool, "has been opened by another process meanwhile. Close it there, and try again.");
  set_aside_log(pool);
  const std::uint64_t blocks = blocks_for(wanted.bytes, wanted.size_limit);
  const path place = place_of_log(pool, header->uuid, wanted.folder);
  const auto log = create_log(volume(), place, blocks, pool);
  name_log(place, pool);
  const Device device = try_out(*log, pool);
  pool::Header with_log = *header;
  with_log.incompatible_features |= pool::logged;
  if (persistence::is_seeded(persistence::Fault::header_names_log_early)) headers.write(*image, with_log, pool);
  // The log is whole before the pool says that it has one.
  require_done(
      superblocks_of(*image, *log).write(Superblocks::make(header->uuid, blocks, device.method, device.in_flight)),
      pool, "writing the superblocks of its log");
  headers.write(*image, with_log, pool);
}

void remove_log(const path& pool) {
  recover_image(pool);
  const auto image = open_image(pool);
  Headers headers(*image, pool);
  const pool::Header* const header = headers.newest();
  if (header == nullptr) pool::refuse(Kind::damaged, pool, "has no header that is whole. Restore a backup.");
  pool::Header without_log = *header;
  without_log.incompatible_features &= ~pool::logged;
  headers.write(*image, without_log, pool);
  // What is left of the log after a crash here is empty, so it is in nobody's way.
  const path log = log_path(pool);
  const path place = followed(log);
  if (place != log) require_done(volume().remove(log), pool, "removing its log");
  require_done(volume().remove(place), pool, "removing its log");
  [[maybe_unused]] const int removed = volume().remove(sums_path(pool));  // of no use to anybody
  require_done(volume().sync_folder_of(log), pool, "removing its log");
}

bool has_log(const path& pool) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(pool, unknown)) return false;
  const OpenedFile opened = volume().open(pool);
  if (opened.error != 0) return false;
  BlockFile* const image = opened.file.get();
  Headers headers(*image, pool);
  if (const pool::Header* const header = headers.newest(); header != nullptr)
    return (header->incompatible_features & pool::logged) != 0;
  // Recovery may have been cut short while it wrote both copies; the log has them.
  return superblock_at({image, pool::log_superblock_offset}, pool).has_value();
}

std::size_t log_bytes(const path& pool) {
  if (!has_log(pool)) return 0;
  const auto superblock = superblock_at({open_image(pool).get(), pool::log_superblock_offset}, pool);
  return superblock ? superblock->blocks * block_bytes : least_log_bytes;
}

bool can_have_log(const path& pool) { return volume().open(pool).error != EINVAL; }

bool is_whole_without_log(const path& pool) {
  const auto image = open_image(pool);
  const auto superblock = superblock_at({image.get(), pool::log_superblock_offset}, pool);
  return superblock && superblock->is_closed != 0 && !goes_with_its_log(*image, pool);
}

}  // namespace perdure::disk
