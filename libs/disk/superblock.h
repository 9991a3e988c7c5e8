#ifndef PERDURE_DISK_SUPERBLOCK_H
#define PERDURE_DISK_SUPERBLOCK_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <type_traits>

#include "disk/block_file.h"
#include "pool/format.h"

namespace perdure::disk {

/// How a write to the log becomes durable.
enum class SyncMethod : std::uint64_t {
  durable_write = 1,  ///< by RWF_DSYNC; several may be in flight
  sync_after = 2      ///< by fdatasync behind it; one at a time
};

/// A place between two groups of the log. Both numbers only grow in the life of a log.
struct LogPoint {
  std::uint64_t block = 0;     ///< its number; it lies at this number modulo the blocks of the ring
  std::uint64_t position = 0;  ///< in the stream of records: bytes that were appended before

  bool operator==(const LogPoint&) const = default;
};

/// What recovery begins with. One copy lies in the image, one in the log; a copy is one sector. Both are written at
/// each checkpoint, one durably before the other, so their generations differ by one at most: otherwise one of the
/// files is not of the time of the other.
struct Superblock {
  std::array<char, 8> magic;               ///< "PERDLOG\n"
  std::uint64_t version;                   ///< superblock_version
  pool::Uuid uuid;                         ///< of the pool
  std::uint64_t generation;                ///< number of times it was written
  std::uint64_t run;                       ///< the last one that had begun
  std::uint64_t blocks;                    ///< of the ring
  LogPoint begin;                          ///< the image holds what was appended before; recovery replays from here
  SyncMethod method;                       ///< as the device was found
  std::uint64_t is_closed;                 ///< 1: the image is whole without the log, which holds nothing
  std::uint64_t stamp;                     ///< of the checksums of the image's pages (page_sums.h); 0: there are none
  std::uint64_t in_flight;                 ///< writes to the log at once, as the device gains from; 0: not tried
  std::array<std::uint64_t, 50> reserved;  ///< 0
  std::uint64_t checksum;                  ///< XXH3 of all bytes before
};
static_assert(sizeof(Superblock) == sector_bytes);
static_assert(std::is_trivially_copyable_v<Superblock> && std::has_unique_object_representations_v<Superblock>);

inline constexpr std::uint64_t superblock_version = 2;
inline constexpr std::uint64_t numbered_parts_version = 2;  ///< from it on: PartNumber (change_record.h)

/// Where a copy lies: a sector. The rest of its block stays as it is.
struct SuperblockPlace {
  BlockFile* file;
  std::uint64_t offset;
};

/// Both copies.
class Superblocks {
 public:
  Superblocks(const SuperblockPlace& image, const SuperblockPlace& log) : places_{image, log} {}

  /// The one to go by. \throws PoolError (Kind::damaged) when there is none, or the files do not go together;
  /// (Kind::system) when reading fails.
  Superblock find(const std::filesystem::path& path);

  /// Writes both, under the next generation. \returns 0 or an errno; one copy may be written then.
  [[nodiscard]] int write(Superblock superblock) noexcept;

  /// As it was found or written last.
  const Superblock& current() const { return current_; }

  static Superblock make(const pool::Uuid& uuid, std::uint64_t blocks, SyncMethod method, unsigned in_flight = 0);

 private:
  int write_copy(std::size_t copy) noexcept;

  std::array<SuperblockPlace, 2> places_;
  Superblock current_{};
  std::size_t first_ = 0;  // to be written: the one that does not count, if there is one
};

}  // namespace perdure::disk

#endif
