#ifndef PERDURE_TX_BLOCK_SOURCE_H
#define PERDURE_TX_BLOCK_SOURCE_H

#include <cstddef>

#include "alloc/block_layout.h"

namespace perdure::tx {

/// From the current pool, or from the heap when none is open. Not transactional.
/// \param layout  of what the block will hold; null if that is unknown.
/// \returns null when there is no room.
void* allocate_block(std::size_t bytes, std::size_t alignment, alloc::BlockLayout* layout);

/// Frees at once a block of a pool or of the heap; its address tells which.
void free_block(void* block);

/// What a block of a pool holds; null if that is unknown.
alloc::BlockLayout* layout_of_block(const void* block);

/// How many bytes of the block may be used.
std::size_t usable_block_size(void* block);

}  // namespace perdure::tx

#endif
