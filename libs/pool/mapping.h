#ifndef PERDURE_POOL_MAPPING_H
#define PERDURE_POOL_MAPPING_H

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "perdure/pool.h"
#include "pool/file.h"
#include "pool/format.h"
#include "pool/header.h"
#include "pool/slots.h"

namespace perdure::pool {

/// A pool's memory: the slot it lives in, the file mapped there (or anonymous memory, when the library is not durable),
/// and its header. Knows nothing of blocks.
///
/// All of its slots are mapped from the start, beyond the end of the file; growing is making the file longer, and no
/// mapping changes while threads run.
class Mapping {
 public:
  /// Opens or creates the pool's file and maps it. Changes nothing in an existing file.
  /// \throws PoolError, see Pool::open.
  static Mapping open(const std::filesystem::path& path, std::uint64_t size_limit);

  /// Maps an existing pool that has a log beside it, for which stores change this process's memory. The file is changed
  /// by `recover`, before anything is read, and by who keeps the log (disk/pool_log.h).
  /// \throws PoolError, see Pool::open; what `recover` throws.
  static Mapping open_logged(const std::filesystem::path& path, std::uint64_t size_limit,
                             const std::function<void()>& recover);

  /// The same for reading, like `open_for_reading`. \param replay  stores what the log holds to the first bytes of the
  /// pool, of which it gets address and number.
  static Mapping open_logged_for_reading(const std::filesystem::path& path,
                                         const std::function<void(std::byte*, std::uint64_t)>& replay);

  /// Maps an existing pool so that stores change this process's memory, not the file. See `protect`.
  /// \throws PoolError, see Pool::open.
  static Mapping open_for_reading(const std::filesystem::path& path);

  /// Maps an existing pool at any free address, for its pointers to be rewritten: none of them is valid there.
  /// \throws PoolError, see Pool::open.
  static Mapping open_for_moving(const std::filesystem::path& path);

  Mapping(Mapping&&) noexcept;

  const std::filesystem::path& path() const noexcept { return path_; }
  /// The same, wherever the process may go to.
  const std::filesystem::path& absolute_path() const noexcept { return absolute_path_; }
  std::byte* base() const noexcept { return slot_.address(); }
  std::size_t slot() const noexcept { return slot_.number(); }
  std::size_t slot_count() const noexcept { return slot_.count(); }
  /// That the pool can have at most, limits aside: all of its slots but for the code addresses.
  std::uint64_t max_bytes() const noexcept { return data_bytes_in(slot_.count()); }
  std::uint64_t max_superblocks() const noexcept { return max_bytes() / superblock_bytes; }
  bool durable() const noexcept { return file_.has_value(); }
  bool created() const noexcept { return created_; }
  bool read_only() const noexcept { return read_only_; }
  Medium medium() const noexcept { return medium_; }
  /// There is a log beside it: only that, and who keeps it, may change the file.
  bool is_logged() const noexcept { return medium_ == Medium::disk; }
  const Header& header() const noexcept { return header_; }
  /// One copy of the header was damaged or cut short by a crash; the next change writes it anew.
  bool header_needs_repair() const noexcept { return repair_; }

  std::uint64_t segment_count() const noexcept { return segments_in_slot * slot_.count(); }
  /// The directory's entry for a segment.
  std::uint64_t& directory_entry(std::uint64_t segment) const noexcept {
    auto& first = reinterpret_cast<Directory*>(base() + directory_offset)->entries;
    if (segment < first.size()) return first[segment];
    auto* const more = superblock_address(base(), header_.more_directory);
    return reinterpret_cast<MoreDirectory*>(more)->entries[segment - first.size()];
  }
  roots::RootTable& root_table() const noexcept {
    return *reinterpret_cast<roots::RootTable*>(base() + root_table_offset);
  }

  /// Superblocks that may be used; those beyond are not in the file yet.
  std::uint64_t superblocks() const noexcept { return superblocks_.load(std::memory_order_relaxed); }

  /// The pool makes use of incompatible features from now on: durable when it returns. One caller at a time, and not
  /// while the pool grows.
  void use_features(std::uint64_t features) noexcept;

  /// Adds at least `wanted` superblocks, as many more as make growing rare, up to the limit. Their disk space is
  /// reserved. One caller at a time; others may use the pool meanwhile.
  /// \returns false when the limit or the disk allows less than `wanted`.
  bool grow(std::uint64_t wanted) noexcept;

  /// Adds superblocks until there are `superblocks`, with their disk space. Like `grow`, but no more than that.
  bool grow_to(std::uint64_t superblocks) noexcept;

  // The disk space of superblocks that nobody uses. One caller at a time for each of them; all but `give_back` one at
  // a time altogether.
  /// Says in the header, durably, that there may be holes. \returns false where the file system makes none.
  bool allow_holes() noexcept;
  /// \returns false when the file system refuses; there may be a hole all the same.
  bool give_back(std::uint64_t first, std::uint64_t count) noexcept;
  /// What was given back, and what has space already. Nobody may be storing there.
  /// \returns 0 or an errno; there may be holes then.
  int reserve(std::uint64_t first, std::uint64_t count) noexcept;

  /// Superblocks below `kept` keep their disk space when they are free. Durable with the next change of the header.
  void set_kept(std::uint64_t kept) noexcept { header_.kept = kept; }

  /// The pool's file; nothing in volatile memory.
  const File* file() const noexcept { return file_ ? &*file_ : nullptr; }

  /// Of a pool that is open for reading: recovery has made of it what it should hold, and no more stores follow.
  void protect();

  /// The pool is in use from now on: until mark_clean, opening it means recovery. Durable when it returns.
  void mark_dirty();
  /// The pool is whole, and the snapshot at superblock `first` says what is allocated. Durable when it returns.
  /// \param run  the run that ends: the next one has another number, so that this header is known from a stale one.
  /// \param superblocks  there are from now on; the file is cut behind them. They may be fewer than before where those
  ///   behind are free and no descriptor says anything of them, durably.
  void mark_clean(std::uint64_t first, std::uint64_t bytes, std::uint64_t checksum, std::uint64_t run,
                  std::uint64_t superblocks);

  /// Of a pool that is clean and mapped anywhere: says that pointers are being rewritten for `to`, a slot of this
  /// program's window. Until `end_move` it can only be moved. Durable when it returns.
  /// \param moves_unsure  see Header::moves_unsure.
  void begin_move(std::byte* to, bool moves_unsure);
  /// The same for a move that was cut short: the header says so already, but perhaps not durably, since a process that
  /// was killed may have stored it and not flushed it.
  void continue_move() noexcept { settle_header(); }
  /// All pointers have been rewritten and flushed: the pool lives there now. Durable when it returns.
  void end_move();

 private:
  Mapping(const std::filesystem::path& path, Slot slot, std::optional<File> file, const Header& header,
          std::uint64_t size_limit);

  static Mapping open_volatile(const std::filesystem::path& path, std::uint64_t size_limit);
  static std::optional<Mapping> open_existing(const std::filesystem::path& path, File::Access access,
                                              std::uint64_t size_limit, Placement placement);
  static Mapping place(const std::filesystem::path& path, File file, const FoundHeader& found, std::uint64_t size_limit,
                       Placement placement);
  static std::optional<Mapping> create(const std::filesystem::path& path, std::uint64_t size_limit);

  void map();
  void* map_shared();
  void* map_privately();
  void* map_for_log();
  bool extend_to(std::uint64_t superblocks) noexcept;
  void cut(std::uint64_t superblocks) noexcept;
  void settle_header() noexcept;
  void write_header() noexcept;
  void sync(const char* purpose);

  std::filesystem::path path_;
  std::filesystem::path absolute_path_;
  // Destroyed in reverse: unmapped before the file is unlocked for the next user.
  std::optional<File> file_;
  Slot slot_;
  Header header_;
  std::uint64_t superblock_limit_;
  std::atomic<std::uint64_t> superblocks_;
  Medium medium_ = Medium::volatile_memory;
  bool created_ = false;
  bool read_only_ = false;
  bool repair_ = false;
  bool makes_holes_ = true;    // as far as is known
  std::size_t good_copy_ = 1;  // of the header: the other one is written first
};

}  // namespace perdure::pool

#endif
