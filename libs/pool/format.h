#ifndef PERDURE_POOL_FORMAT_H
#define PERDURE_POOL_FORMAT_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "perdure/roots.h"
#include "pool/window.h"

/// The file as it lies on the medium (docs/pool-format.md). Numbers are little-endian; unused bytes are zero.
///
///   0x00000  Header, copy 0          4 KiB
///   0x01000  Header, copy 1          4 KiB
///   0x02000  Directory               4 KiB
///   0x03000  log::RecordWatermark   64 bytes
///   0x03040  zero
///   0x03080  log::ReplicaWord         8 bytes, on a line of its own; 0 where the pool itself counts
///   0x03088  zero
///   0x04000  log::DecisionPage    48000 bytes; where it was never used, zero
///   0x0fe00  disk::Superblock       512 bytes; zero where the pool has no log beside it
///   0x10000  roots::RootTable       64 KiB
///   0x20000  superblocks of 64 KiB, numbered by their offset from the start of the file: the first is number 2
namespace perdure::pool {

inline constexpr std::size_t superblock_bytes = 64 * 1024;
inline constexpr std::size_t header_copies = 2;
inline constexpr std::size_t page_bytes = 4096;
inline constexpr std::size_t directory_offset = header_copies * page_bytes;
inline constexpr std::size_t watermark_offset = directory_offset + page_bytes;
inline constexpr std::size_t replica_word_offset = watermark_offset + 128;
inline constexpr std::size_t decisions_offset = watermark_offset + page_bytes;
inline constexpr std::size_t root_table_offset = superblock_bytes;
inline constexpr std::size_t log_superblock_offset = root_table_offset - 512;
inline constexpr std::uint64_t first_superblock = 2;
inline constexpr std::uint64_t most_superblocks = most_data_bytes / superblock_bytes;

/// One superblock of 8-byte descriptors (alloc/descriptor_table.h) covers this many superblocks: a segment.
inline constexpr std::uint64_t superblocks_per_segment = superblock_bytes / sizeof(std::uint64_t);
inline constexpr std::uint64_t segments_in_slot = slot_bytes / superblock_bytes / superblocks_per_segment;

inline constexpr std::array<char, 8> magic = {'P', 'E', 'R', 'D', 'U', 'R', 'E', '\n'};

/// Changes whenever an older program would misread a pool. The fields up to `version`, the size of the header and the
/// place of its checksum are the same in every version, so that any program can tell a newer pool from a damaged one.
inline constexpr std::uint32_t format_version = 2;

/// Feature bits this program knows. An unknown compatible bit may be ignored; an unknown incompatible bit means that
/// this program would damage or misread the pool.
///
/// - `transactions_over_pools`  the pool has had a part in a transaction over several pools: there may be decisions
///   (log/decisions.h) and prepared logs (log/preparation.h) in it.
/// - `holes`  there have been superblocks without disk space: descriptors may say so (alloc::Descriptor::Kind::hole).
/// - `checked_watermark`  the numbers of log::RecordWatermark have checks above them, and logs may hold changed bytes.
/// - `layouts`  descriptors may say where blocks have pointers (alloc/layout_table.h).
/// - `checked_free`  descriptors of free superblocks have checks, too: one that is 0 was lost. A pool has it from its
///   beginning or never.
/// - `codes`  there are superblocks of names of tables of virtual functions and of functions, and pointers in the pool
///   may be code addresses (alloc/code_names.h).
/// - `moving`  pointers are being rewritten for another address, `Header::moving_to`: some lead there already.
///
/// - `logged`  the pool lies on a disk, and its log beside it holds what the file lacks (disk/pool_log.h).
/// - `replicated`  there have been replicas of superblocks: descriptors may say so, and log::ReplicaWord which count
///   (log/replica_set.h).
/// - `retired_together`  log::RecordWatermark says of which redo logs the status does not count (log/retirement.h).
/// - `large`  the pool takes several slots, and `Header::more_directory` has more entries of its directory. A pool has
///   it from its beginning or never.
/// - `constants`  code addresses may stand for constants and string literals, too (alloc/program_code.h).
/// - `more_replicas`  and superblocks may have several replicas each.
/// - `numbered_turns`  and log::ReplicaWord has the time of the last turn above the number of the copy.
///
/// A bit is set, durably, before the first of what it stands for is written; it stays. Only `moving` is cleared again.
inline constexpr std::uint64_t transactions_over_pools = std::uint64_t{1} << 0;
inline constexpr std::uint64_t holes = std::uint64_t{1} << 1;
inline constexpr std::uint64_t checked_watermark = std::uint64_t{1} << 2;
inline constexpr std::uint64_t layouts = std::uint64_t{1} << 3;
inline constexpr std::uint64_t moving = std::uint64_t{1} << 4;
inline constexpr std::uint64_t checked_free = std::uint64_t{1} << 5;
inline constexpr std::uint64_t codes = std::uint64_t{1} << 6;
inline constexpr std::uint64_t logged = std::uint64_t{1} << 7;
inline constexpr std::uint64_t large = std::uint64_t{1} << 8;
inline constexpr std::uint64_t replicated = std::uint64_t{1} << 9;
inline constexpr std::uint64_t retired_together = std::uint64_t{1} << 10;
inline constexpr std::uint64_t constants = std::uint64_t{1} << 11;
inline constexpr std::uint64_t more_replicas = std::uint64_t{1} << 12;
inline constexpr std::uint64_t numbered_turns = std::uint64_t{1} << 13;
inline constexpr std::uint64_t known_incompatible_features =
    transactions_over_pools | holes | checked_watermark | layouts | moving | checked_free | codes | logged | large |
    replicated | retired_together | constants | more_replicas | numbered_turns;

using Uuid = std::array<std::uint8_t, 16>;

enum class State : std::uint64_t {
  clean = 1,  ///< closed: no log is active, and the snapshot says which blocks are in use
  dirty = 2   ///< open, or its last user crashed: logs and the mark phase say what holds
};

/// The header, kept twice. Written whole: one copy, fence, the other, fence, with a generation greater by one; so at
/// any moment at least one copy is intact, and a torn or damaged one is told by its checksum. Where the copies differ
/// when the pool is opened, the one that does not count is written first.
struct Header {
  std::array<char, 8> magic;            ///< "PERDURE\n"
  std::uint32_t version;                ///< format_version of the program that created the pool
  std::uint32_t header_bytes;           ///< sizeof(Header)
  std::uint64_t compatible_features;    ///< 0
  std::uint64_t incompatible_features;  ///< see above; bits are added in the life of a pool
  Uuid uuid;                            ///< random, made at creation
  std::uint64_t address;                ///< of the pool's first byte, in every process, until it is moved
  std::uint64_t window_base;            ///< the address window of the program that created or moved it
  std::uint64_t slot_bytes;             ///< that the pool takes there: one slot, or several
  std::uint32_t superblock_bytes;       ///< 65536
  std::uint32_t granularity;            ///< addresses and sizes of all blocks are multiples of this: 32 or 64
  std::uint64_t created;                ///< seconds since 1970
  std::array<char, 64> created_by;      ///< name of the library, zero-terminated

  // What follows changes in the life of a pool.
  std::uint64_t generation;         ///< number of times the header was written
  State state;                      ///< see State
  std::uint64_t superblocks;        ///< the file holds at least this many; the first two are header and roots
  std::uint64_t snapshot;           ///< if clean: number of the first superblock of the snapshot; 0: it is empty
  std::uint64_t snapshot_bytes;     ///< if clean: size of the snapshot
  std::uint64_t snapshot_checksum;  ///< if clean: XXH3 of the snapshot

  std::uint64_t run;  ///< if clean: the run that closed it (log::RecordWatermark); 0: not said

  std::uint64_t kept;  ///< superblocks below this one keep their disk space, also when they are free

  // While `moving` is set; otherwise 0. What `address`, `window_base` and `slot_bytes` will be.
  std::uint64_t moving_to;
  std::uint64_t moving_to_window_base;
  std::uint64_t moving_to_slot_bytes;
  std::uint64_t moves_unsure;  ///< 1: words that lead to blocks in use are rewritten where nothing says what they are

  std::uint64_t more_directory;  ///< a superblock, of entries from 512 on; 0: none

  std::array<std::uint8_t, page_bytes - 264> reserved;  ///< 0
  std::uint64_t checksum;                               ///< XXH3 of all bytes before
};
static_assert(sizeof(Header) == page_bytes);
static_assert(offsetof(Header, version) == 8);
static_assert(offsetof(Header, address) == 48);
static_assert(offsetof(Header, generation) == 152);
static_assert(offsetof(Header, checksum) == page_bytes - 8);
static_assert(std::is_trivially_copyable_v<Header> && std::has_unique_object_representations_v<Header>);

/// Where the descriptors are: entry s names the superblock that holds those of segment s, or is 0. An entry is the
/// number in its low half and a check in its high half; it is stored and made durable as one word. It is not changed
/// until the segment is cut off, whole.
struct Directory {
  std::array<std::uint64_t, 512> entries;
};
static_assert(sizeof(Directory) == page_bytes);

/// What follows, in a large pool.
struct MoreDirectory {
  std::array<std::uint64_t, superblock_bytes / sizeof(std::uint64_t)> entries;
};
static_assert(sizeof(MoreDirectory) == superblock_bytes);
static_assert(segments_in_slot * most_slots_of_pool <= 512 + superblock_bytes / sizeof(std::uint64_t));

inline bool is_large(const Header& header) noexcept { return (header.incompatible_features & large) != 0; }

/// How many slots of this program the pool takes.
inline std::uint64_t slots_of(const Header& header) noexcept {
  return is_large(header) ? header.slot_bytes / slot_bytes + (header.slot_bytes % slot_bytes != 0 ? 1 : 0) : 1;
}
static_assert(sizeof(roots::RootTable) <= superblock_bytes);

inline std::byte* superblock_address(std::byte* base, std::uint64_t number) noexcept {
  return base + number * superblock_bytes;
}

}  // namespace perdure::pool

#endif
