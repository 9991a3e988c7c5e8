#ifndef PERDURE_DISK_GROUP_H
#define PERDURE_DISK_GROUP_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "disk/block_file.h"
#include "pool/checksum.h"
#include "pool/format.h"

/// A group: what is written to the log by one system call, and becomes durable together. It is a head, a part of the
/// stream of records, and padding to whole blocks: no sector is written twice, so writing the next group cannot hurt
/// this one. It lies in the ring in one piece.
///
/// A group counts if its checksum is right, which depends on the pool, and if it is the one that is due: it names the
/// block that it begins at, whose number grows from lap to lap, and the run.
namespace perdure::disk {

struct GroupHead {
  std::uint64_t checksum;      ///< of the rest of the head and of the bytes
  std::uint64_t run;           ///< counts how often the pool was opened
  std::uint64_t block;         ///< the number of its first block
  std::uint64_t position;      ///< in the stream, of its first byte
  std::uint64_t durable;       ///< what was appended before this position was durable when the group was made
  std::uint32_t bytes;         ///< of the stream
  std::uint32_t first_record;  ///< offset in them of the first record that begins here; `bytes` if none does
  std::uint64_t begins_run;    ///< 1: the first group of the run; what a crash cut short before is forgotten
  std::uint64_t reserved;      ///< 0
};
static_assert(sizeof(GroupHead) == 64);
static_assert(std::is_trivially_copyable_v<GroupHead> && std::has_unique_object_representations_v<GroupHead>);

/// Of the stream, in any group.
inline constexpr std::size_t most_group_bytes = (std::size_t{1} << 20) - sizeof(GroupHead);

constexpr std::uint64_t group_blocks(std::uint64_t bytes) {
  return (sizeof(GroupHead) + bytes + block_bytes - 1) / block_bytes;
}
inline constexpr std::uint64_t most_group_blocks = group_blocks(most_group_bytes);

/// At most so many groups are in flight: group n is made when group n - most_in_flight is durable. So the group that
/// comes so many behind another one says that that one was durable.
inline constexpr unsigned most_in_flight = 4;

/// What the checksums of a pool's groups depend on.
inline std::uint64_t seed_of(const pool::Uuid& uuid) {
  std::uint64_t halves[2];
  static_assert(sizeof(halves) == sizeof(uuid));
  std::memcpy(halves, uuid.data(), sizeof(halves));
  return pool::mix(halves[0], halves[1]);
}

/// Of a group whose bytes lie behind its head.
inline std::uint64_t right_checksum(const GroupHead& head, std::uint64_t seed) {
  constexpr std::size_t skipped = sizeof(head.checksum);
  return pool::checksum(reinterpret_cast<const std::byte*>(&head) + skipped, sizeof(head) - skipped + head.bytes, seed);
}

/// The block that holds the superblock is not part of the ring.
constexpr std::uint64_t offset_of_block(std::uint64_t number, std::uint64_t ring_blocks) {
  return (1 + number % ring_blocks) * block_bytes;
}

/// A record in the stream begins with a word: its bytes with this word, a multiple of 8, in the low half, and in the
/// high half a tag that says to its reader what it is. 0 is no record.
inline constexpr std::size_t record_head_bytes = sizeof(std::uint64_t);
constexpr std::uint64_t record_head(std::uint32_t bytes, std::uint32_t tag) { return std::uint64_t{tag} << 32 | bytes; }
constexpr std::uint64_t record_bytes(std::uint64_t head) { return head & 0xffffffff; }
constexpr std::uint32_t record_tag(std::uint64_t head) { return static_cast<std::uint32_t>(head >> 32); }

}  // namespace perdure::disk

#endif
