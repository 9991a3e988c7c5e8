#include "disk/recover_image.h"

#include <map>
#include <vector>

#include "disk/change_record.h"
#include "disk/image_file.h"
#include "disk/image_pages.h"
#include "disk/log_file.h"
#include "disk/make_log.h"
#include "perdure/error.h"
#include "pool/refuse.h"

namespace perdure::disk {
namespace {

using Kind = PoolError::Kind;
using std::filesystem::path;

using Words = std::span<const std::uint64_t>;

/// Calls `store(offset of a word, its value, a bit for each byte that is changed)` for what the log holds. \returns
/// where it ends.
template <class Store>
LogEnd replay_log(BlockFile& log, const Superblock& superblock, const path& pool, Store&& store) {
  const auto replay = [&](Words items) {
    bool is_sound = true;
    const bool is_well_formed =
        for_each_change(items, [&](std::uint64_t offset, std::uint64_t value, std::uint8_t bytes) {
          is_sound = is_sound && offset % sizeof(value) == 0 && offset < pool::data_bytes;
          if (is_sound) store(offset, value, bytes);
        });
    if (!is_well_formed || !is_sound)
      pool::refuse(Kind::damaged, pool, "its log holds a record that makes no sense. Restore a backup of both.");
  };
  std::map<std::uint64_t, std::vector<std::uint64_t>> parts;  // of changes whose last one has not come yet
  return read_log(log, superblock, pool, [&](std::uint64_t, std::uint32_t tag, Words payload) {
    if (tag == static_cast<std::uint32_t>(RecordTag::whole) || payload.empty()) return replay(payload);
    auto& items = parts[payload.front()];
    items.insert(items.end(), payload.begin() + 1, payload.end());
    if (tag != static_cast<std::uint32_t>(RecordTag::last_part)) return;
    replay(items);
    parts.erase(payload.front());
  });
}

/// The file was made longer before its header said so, but perhaps not durably.
void fill_up(BlockFile& image, const path& pool) {
  Headers headers(image, pool);
  const pool::Header* const header = headers.newest();
  if (header == nullptr || header->superblocks > pool::max_superblocks) return;  // what opens it says what is wrong
  const std::uint64_t bytes = header->superblocks * pool::superblock_bytes;
  if (image.size() >= bytes) return;
  require_done(image.resize(bytes), pool, "making the file as long as it was");
  require_done(image.sync(), pool, "making the file as long as it was");
}

}  // namespace

LogEnd recover_image(BlockFile& image, BlockFile& log, Superblocks& superblocks, const path& pool) {
  // What a killed process has written, and not flushed, is what the log is replayed over.
  require_done(image.sync(), pool, "flushing the file");
  Superblock superblock = superblocks.find(pool);
  // Once without changing anything: what is damaged is refused as it is.
  const LogEnd end = read_log(log, superblock, pool, [](std::uint64_t, std::uint32_t, auto) {});
  if (end.groups == 0) return end;
  ImagePages pages(image, pool);
  replay_log(log, superblock, pool,
             [&](std::uint64_t offset, std::uint64_t value, std::uint8_t bytes) { pages.store(offset, value, bytes); });
  pages.complete();
  fill_up(image, pool);
  superblock.begin = end.point;
  superblock.run = end.run;
  require_done(superblocks.write(superblock), pool, "writing the superblocks of its log");
  return end;
}

void recover_image(const path& pool) {
  const auto image = open_image(pool);
  const auto log = open_log(volume(), log_path(pool), pool);
  Superblocks superblocks = superblocks_of(*image, *log);
  recover_image(*image, *log, superblocks, pool);
}

void replay_in_memory(const path& pool, std::byte* memory, std::uint64_t bytes) {
  if (is_whole_without_log(pool)) return;
  const auto image = open_image(pool);
  const auto log = open_log(volume(), log_path(pool), pool);
  const Superblock superblock = superblocks_of(*image, *log).find(pool);
  replay_log(*log, superblock, pool, [&](std::uint64_t offset, std::uint64_t value, std::uint8_t changed) {
    if (offset < bytes) store_bytes(memory + offset, value, changed);
  });
}

}  // namespace perdure::disk
