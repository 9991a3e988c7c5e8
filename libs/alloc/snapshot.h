#ifndef PERDURE_ALLOC_SNAPSHOT_H
#define PERDURE_ALLOC_SNAPSHOT_H

#include <cstdint>
#include <optional>

#include "alloc/heap.h"

/// What a clean close leaves behind so that the next open need not mark: the bitmaps of the size classes. They lie in
/// superblocks that are otherwise free, and only the clean header refers to them.
///
///   snapshot := record*           sorted by superblock; those of kind small that are not listed are free
///   record   := superblock (4 bytes)  free blocks (4 bytes)  bitmap (8 * ceil(blocks / 64) bytes, 1: free)
///                                                            absent when no block is free
namespace perdure::alloc {

/// Where a snapshot lies.
struct SnapshotPlace {
  std::uint64_t first_superblock = 0;  ///< 0 when it is empty
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;

  /// The superblock behind it.
  std::uint64_t end() const { return first_superblock + (bytes + pool::superblock_bytes - 1) / pool::superblock_bytes; }
};

/// Writes the snapshot of a heap that nobody uses any more and whose caches have been collected. Durable when it
/// returns, where flushed lines are.
/// \returns nothing when the pool has no room for it; then the next open marks.
std::optional<SnapshotPlace> write_snapshot(Heap& heap);

/// Takes the blocks in use out of the bitmaps of a heap that is being rebuilt.
/// \returns false when the snapshot is damaged; the heap's small blocks are then in no useful state until marked.
bool load_snapshot(Heap& heap, const SnapshotPlace& place);

}  // namespace perdure::alloc

#endif
