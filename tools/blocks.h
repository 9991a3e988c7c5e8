#ifndef PERDURE_TOOLS_BLOCKS_H
#define PERDURE_TOOLS_BLOCKS_H

#include <cstddef>
#include <cstdint>
#include <span>

#include "alloc/heap.h"

namespace perdure::tools {

/// The block in use that `address`, which may be anything, lies in; empty when there is none.
std::span<const std::byte> block_of(alloc::Heap& heap, std::uintptr_t address);

}  // namespace perdure::tools

#endif
