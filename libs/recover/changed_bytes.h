#ifndef PERDURE_RECOVER_CHANGED_BYTES_H
#define PERDURE_RECOVER_CHANGED_BYTES_H

#include <cstdint>
#include <span>

#include "alloc/heap.h"

/// What recovery does with the contents of a redo log of chunks (log/changed_bytes.h), whichever kind of log it is.
namespace perdure::recover {

/// \param log  any address in the log that they are from.
/// \throws PoolError (Kind::damaged), naming the log, if they are not well formed, or not about the pool's data.
void check_changed_bytes(alloc::Heap& heap, const void* log, std::span<const std::uint64_t> words);

/// Stores the words to their places and flushes them. \returns how many bytes that were.
std::uint64_t apply_changed_bytes(std::span<const std::uint64_t> words);

}  // namespace perdure::recover

#endif
