#include "disk/make_log.h"

#include <algorithm>
#include <cerrno>
#include <optional>

#include "disk/image_file.h"
#include "disk/log_file.h"
#include "disk/log_reader.h"
#include "disk/recover_image.h"
#include "perdure/error.h"
#include "pool/refuse.h"

namespace perdure::disk {
namespace {

using Kind = PoolError::Kind;
using std::filesystem::path;

constexpr std::uint64_t least_log_bytes = std::uint64_t{1} << 20;

/// What has the name of the log may be left over from an attempt to make it, but no log that anything depends on.
void require_no_log_in_use(const path& pool, const pool::Uuid& uuid) {
  OpenedFile opened = volume().open(log_path(pool));
  if (opened.error == ENOENT) return;
  require_done(opened.error, pool, "looking for its log");
  Superblocks copies({opened.file.get(), 0}, {opened.file.get(), 0});
  std::optional<Superblock> superblock;
  try {
    superblock = copies.find(pool);
  } catch (const PoolError&) {
    return;  // not finished
  }
  const LogEnd end = read_log(*opened.file, *superblock, pool, [](std::uint64_t, std::uint32_t, auto) {});
  // One that was emptied holds nothing that this pool lacks.
  if (end.groups == 0 && (superblock->generation == 1 || superblock->uuid == uuid)) return;
  pool::refuse(Kind::usage, pool,
               "cannot have a log: '" + log_path(pool).string() +
                   "' is the log of another pool, or of a newer state of this one. Put it back to where its pool is.");
}

std::uint64_t blocks_for(std::size_t bytes, std::size_t size_limit) {
  if (bytes == 0) return default_log_blocks(size_limit);
  return std::max<std::uint64_t>(bytes, least_log_bytes) / block_bytes;
}

}  // namespace

void make_log(const path& pool, std::size_t bytes, std::size_t size_limit) {
  const auto image = open_image(pool);
  Headers headers(*image, pool);
  const pool::Header* const header = headers.newest();
  if (header == nullptr) pool::refuse(Kind::damaged, pool, "has no header that is whole. Restore a backup.");
  if (header->state != pool::State::clean)
    pool::refuse(Kind::in_use, pool, "has been opened by another process meanwhile. Close it there, and try again.");
  require_no_log_in_use(pool, header->uuid);
  const std::uint64_t blocks = blocks_for(bytes, size_limit);
  const auto log = create_log(volume(), log_path(pool), blocks, pool);
  const SyncMethod method = probe(*log, pool);
  // The log is whole before the pool says that it has one.
  require_done(superblocks_of(*image, *log).write(Superblocks::make(header->uuid, blocks, method)), pool,
               "writing the superblocks of its log");
  pool::Header with_log = *header;
  with_log.incompatible_features |= pool::logged;
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
  require_done(volume().remove(log_path(pool)), pool, "removing its log");
  require_done(volume().sync_folder_of(pool), pool, "removing its log");
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
  // A checkpoint may have been cut short while it wrote both copies; the log has them.
  const SuperblockPlace place{image, pool::log_superblock_offset};
  try {
    Superblocks(place, place).find(pool);
    return true;
  } catch (const PoolError&) {
    return false;
  }
}

}  // namespace perdure::disk
