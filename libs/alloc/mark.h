#ifndef PERDURE_ALLOC_MARK_H
#define PERDURE_ALLOC_MARK_H

#include <cstddef>
#include <cstdint>
#include <span>

#include "alloc/heap.h"

namespace perdure::alloc {

/// Finds after a crash which blocks are in use: those that a root reaches. Conservative: any aligned word whose value
/// is an address in a block, its inside included, keeps that block.
///
/// \param heap   not yet rebuilt; its logs have been replayed.
/// \param roots  the memory to start from.
/// Afterwards the heap knows small blocks; large blocks that nothing reaches have been freed.
/// \returns the number of those large blocks.
std::uint64_t mark(Heap& heap, std::span<const std::byte> roots);

}  // namespace perdure::alloc

#endif
