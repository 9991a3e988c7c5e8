#include "alloc/shading.h"

#include <atomic>
#include <cstdint>

#include "alloc/heap.h"

namespace perdure::alloc {

void shade(const void* chunk, std::size_t bytes) noexcept {
  const Heap* const heap = heap_of(chunk);
  if (heap == nullptr || heap->mark() == nullptr || heap->mark()->is_over()) return;
  auto* const words = static_cast<std::uintptr_t*>(const_cast<void*>(chunk));
  // Relaxed: the caller owns the chunk.
  for (std::size_t i = 0; i < bytes / sizeof(std::uintptr_t); ++i)
    heap->mark()->shade(std::atomic_ref(words[i]).load(std::memory_order_relaxed));
}

}  // namespace perdure::alloc
