#ifndef PERDURE_ALLOC_BLOCK_AROUND_H
#define PERDURE_ALLOC_BLOCK_AROUND_H

#include <cstddef>
#include <cstdint>

#include "alloc/heap.h"

/// What lies at an address of a pool: for checks and messages, not for hot paths.
namespace perdure::alloc {

struct Place {
  enum class Kind : std::uint8_t { metadata, log, block, free };

  Kind kind;
  std::byte* begin;   ///< of the block, or of the superblock
  std::size_t bytes;  ///< of it
};

/// \param address  in the pool of the heap, within its end.
Place place_around(Heap& heap, const void* address);

/// Whether the calling thread keeps the block at hand, for the next allocation of its size.
bool is_at_hand(const Heap& heap, const void* block);

}  // namespace perdure::alloc

#endif
