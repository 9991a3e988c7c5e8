#ifndef PERDURE_ALLOC_SHADING_H
#define PERDURE_ALLOC_SHADING_H

#include <atomic>
#include <cstddef>

/// What transactions do for a mark that works beside them (alloc/mark.h).
namespace perdure::alloc {

namespace detail {
inline constinit std::atomic<unsigned> running_marks{0};
}

/// Whether a mark works in any pool. Relaxed: a mark begins before its pool is handed over, so whoever has a pointer
/// into it sees that; and who does not see yet that it is over shades for nothing.
inline bool is_marking() noexcept { return detail::running_marks.load(std::memory_order_relaxed) != 0; }

/// Tells the mark what the words of a chunk in a pool hold. Before any of them is overwritten: store with release, so
/// that a marker which sees the new value sees this.
void shade(const void* chunk, std::size_t bytes) noexcept;

}  // namespace perdure::alloc

#endif
