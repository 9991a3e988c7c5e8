#ifndef PERDURE_ALLOC_NEXT_LAYOUT_H
#define PERDURE_ALLOC_NEXT_LAYOUT_H

#include <utility>

#include "abi/block_layout.h"

/// What the plugin tells the runtime of an allocation, just before it (perdure_set_block_layout).
namespace perdure::alloc {

namespace detail {
inline thread_local constinit BlockLayout* next_layout = nullptr;
}

/// What the next block that this thread allocates holds; null if that is unknown.
inline void set_next_layout(BlockLayout* layout) noexcept { detail::next_layout = layout; }

/// For whoever allocates: at once, and whether or not the allocation succeeds. What is left behind would be taken for
/// that of another block.
inline BlockLayout* take_next_layout() noexcept { return std::exchange(detail::next_layout, nullptr); }

}  // namespace perdure::alloc

#endif
