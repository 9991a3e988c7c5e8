#ifndef PERDURE_LOG_REPLICA_PLACES_H
#define PERDURE_LOG_REPLICA_PLACES_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "log/change_history.h"
#include "log/replica_map.h"
#include "log/shared_memory.h"
#include "persist/domain.h"
#include "persist/lines.h"

/// Copying from one copy of a pool to another, and flushing what lies there, by the addresses that programs know.
namespace perdure::log {

inline constexpr std::size_t replica_chunk_bytes = 32;  // no two blocks share one

inline std::uintptr_t place_of(std::uintptr_t address, Copy copy) {
  if (copy == main_copy) return address;
  return address + static_cast<std::uintptr_t>(replica_map.distance(reinterpret_cast<const void*>(address), copy));
}

/// The chunks that a block takes, which it shares with no other.
inline Range chunks_of_block(const void* block, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(block);
  return {begin, (begin + bytes + replica_chunk_bytes - 1) & ~(replica_chunk_bytes - 1)};
}

/// Calls `function(part)` with what lies in each superblock.
template <class Function>
void for_each_superblock(const Range& range, Function&& function) {
  for (std::uintptr_t begin = range.begin; begin < range.end;) {
    const std::uintptr_t next = std::min(range.end, (begin / pool::superblock_bytes + 1) * pool::superblock_bytes);
    function(Range{begin, next});
    begin = next;
  }
}

/// Of several copies, the pool itself is written to while others may read a superblock there that had no replica when
/// they looked: so each store is atomic, and releases (RedoOpt::read_elsewhere).
inline void copy_chunk(std::uintptr_t chunk, Copy to, Copy from) {
  auto* const target = reinterpret_cast<std::uint64_t*>(place_of(chunk, to));
  const auto* const source = reinterpret_cast<const std::uint64_t*>(place_of(chunk, from));
  for (std::size_t i = 0; i < replica_chunk_bytes / sizeof(std::uint64_t); ++i) store_shared(target + i, source[i]);
}

inline void copy_block(const Range& block, Copy to, Copy from) {
  for_each_superblock(block, [&](const Range& part) {
    const std::uintptr_t target = place_of(part.begin, to);
    const std::uintptr_t source = place_of(part.begin, from);
    if (target != source)
      std::memcpy(reinterpret_cast<void*>(target), reinterpret_cast<const void*>(source), part.end - part.begin);
  });
}

/// Durable after the next fence.
template <class Lines>
void flush_chunk(std::uintptr_t chunk, Copy copy, Lines& lines) {
  lines.flush(place_of(chunk, copy));
}

/// What has no replica is in all copies: who made it durable in one did so in the others.
enum class Parts : std::uint8_t { all, with_replica };

template <class Lines>
void flush_block(const Range& block, Copy copy, Parts parts, Lines& lines) {
  for_each_superblock(block, [&](const Range& part) {
    if (parts == Parts::with_replica && place_of(part.begin, 1) == part.begin) return;
    const std::uintptr_t distance = place_of(part.begin, copy) - part.begin;
    for (std::uintptr_t line = persistence::line_of(part.begin); line < part.end; line += persistence::line_bytes)
      lines.flush(line + distance);
  });
}

}  // namespace perdure::log

#endif
