#include "disk/recover_image.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "disk/change_record.h"
#include "disk/image_file.h"
#include "disk/image_replay.h"
#include "disk/log_file.h"
#include "disk/make_log.h"
#include "perdure/error.h"
#include "persist/fault.h"
#include "pool/refuse.h"

namespace perdure::disk {
namespace {

using Kind = PoolError::Kind;
using std::filesystem::path;

/// The parts of changes of one run, until the last one comes.
class ChangesInParts {
 public:
  /// A change that a crash has cut short never gets its last part, and the next run numbers its changes as this one
  /// did.
  void begin_run(std::uint64_t run) {
    if (std::exchange(run_, run) != run) changes_.clear();
  }

  /// \returns the items of the change, if this is its last part and all others have come. Of a change that began before
  /// the log does, the checkpoint has written all: it was appended before the checkpoint looked at memory.
  std::optional<std::vector<std::uint64_t>> add(Words payload, bool is_last) {
    const PartNumber number = PartNumber::of(payload.front());
    Change& change = changes_[number.change];
    change.is_whole = change.is_whole && number.ordinal == change.parts++;
    change.items.insert(change.items.end(), payload.begin() + 1, payload.end());
    if (!is_last) return std::nullopt;
    const auto found = changes_.extract(number.change);
    if (!found.mapped().is_whole) return std::nullopt;
    return std::move(found.mapped().items);
  }

 private:
  struct Change {
    std::vector<std::uint64_t> items;
    std::uint64_t parts = 0;
    bool is_whole = true;
  };

  std::uint64_t run_ = 0;
  std::map<std::uint64_t, Change> changes_;
};

/// Calls `take(items)` for each change that the log holds, whole and well formed. \returns where it ends.
template <class Take>
LogEnd read_changes(BlockFile& log, const Superblock& superblock, const path& pool, Take&& take) {
  const auto check_and_take = [&](Words items) {
    bool is_sound = true;
    const bool is_well_formed = for_each_item(items, [&](const ChangeItem& item) {
      is_sound = is_sound && item.offset % sizeof(std::uint64_t) == 0 && item.end() <= pool::most_data_bytes;
    });
    if (!is_well_formed || !is_sound)
      pool::refuse(Kind::damaged, pool, "its log holds a record that makes no sense. Restore a backup of both.");
    take(items);
  };
  ChangesInParts in_parts;
  return read_log(log, superblock, pool, [&](const LogRecord& record) {
    const auto& [run, tag, payload] = record;
    in_parts.begin_run(run);
    if (tag == static_cast<std::uint32_t>(RecordTag::whole) || payload.empty()) return check_and_take(payload);
    if (superblock.version < numbered_parts_version)
      pool::refuse(Kind::wrong_version, pool,
                   "has a log that an older version made, with a transaction in several records. Open it with that "
                   "version, and close it.");
    if (persistence::is_seeded(persistence::Fault::lone_parts_replayed)) return check_and_take(payload.subspan(1));
    const bool is_last = tag == static_cast<std::uint32_t>(RecordTag::last_part);
    if (const auto items = in_parts.add(payload, is_last)) check_and_take(*items);
  });
}

/// The file was made longer before its header said so, but perhaps not durably.
void fill_up(BlockFile& image, const path& pool) {
  Headers headers(image, pool);
  const pool::Header* const header = headers.newest();
  if (header == nullptr || header->superblocks > pool::most_superblocks) return;  // what opens it says what is wrong
  const std::uint64_t bytes = header->superblocks * pool::superblock_bytes;
  if (image.size() >= bytes) return;
  require_done(image.resize(bytes), pool, "making the file as long as it was");
  require_done(image.sync(), pool, "making the file as long as it was");
}

}  // namespace

LogEnd recover_image(BlockFile& image, BlockFile& log, Superblocks& superblocks, PageSums& sums, const path& pool) {
  // What a killed process has written, and not flushed, is what the log is replayed over.
  require_done(image.sync(), pool, "flushing the file");
  Superblock superblock = superblocks.current();
  // Once without changing anything: what is damaged is refused as it is.
  const LogEnd end = read_changes(log, superblock, pool, [](Words) {});
  if (end.groups == 0) {
    sums.settle();
    return end;
  }
  ImageReplay replay(image, sums, superblock.stamp, pool);
  read_changes(log, superblock, pool, [&](Words items) { replay.add(items); });
  superblock.stamp = replay.complete();
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
  PageSums sums(volume(), pool, superblocks.find(pool));
  recover_image(*image, *log, superblocks, sums, pool);
  // Pages are going to be written by others, who know nothing of checksums: they are made anew when it is opened.
  Superblock without_sums = superblocks.current();
  without_sums.stamp = 0;
  require_done(superblocks.write(without_sums), pool, "writing the superblocks of its log");
}

void replay_in_memory(const path& pool, std::byte* memory, std::uint64_t bytes) {
  if (is_whole_without_log(pool)) return;
  const auto image = open_image(pool);
  const auto log = open_log(volume(), log_path(pool), pool);
  const Superblock superblock = superblocks_of(*image, *log).find(pool);
  read_changes(*log, superblock, pool, [&](Words items) {
    for_each_item(items, [&](const ChangeItem& item) {
      for_each_word(item, [&](std::uint64_t offset, std::uint64_t value) {
        if (offset < bytes) store_bytes(memory + offset, value, item.bytes);
      });
    });
  });
}

std::set<std::uint64_t> pages_in_log(BlockFile& log, const Superblock& superblock, const path& pool) {
  std::set<std::uint64_t> pages;
  read_changes(log, superblock, pool, [&](Words items) {
    for_each_item(items, [&](const ChangeItem& item) {
      for (std::uint64_t page = item.offset / block_bytes; page <= (item.end() - 1) / block_bytes; ++page)
        pages.insert(page);
    });
  });
  return pages;
}

}  // namespace perdure::disk
