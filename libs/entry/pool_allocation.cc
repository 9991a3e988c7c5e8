// What perdure::allocator stands on (perdure/allocator.h): the functions, and the clone that transactions call.
#include <algorithm>
#include <cstddef>
#include <new>
#include <optional>

#include "alloc/heap.h"
#include "alloc/next_layout.h"
#include "entry/allocation.h"
#include "perdure/allocator.h"
#include "perdure/roots.h"
#include "tx/block_source.h"

namespace {

using perdure::alloc::Heap;
using perdure::roots::detail::AllocationScope;

template <class Allocate>
void* allocate_in(void* pool, std::size_t count, std::size_t bytes, std::size_t alignment, Allocate allocate) {
  std::size_t total = 0;
  if (__builtin_mul_overflow(count, bytes, &total)) {
    perdure::alloc::take_next_layout();
    throw std::bad_array_new_length();
  }
  // Nothing that allocates leaves by an abort, which would pass over the destructor.
  std::optional<AllocationScope> scope;
  if (const Heap* const heap = pool == nullptr ? nullptr : perdure::alloc::heap_of(pool))
    scope.emplace(heap->mapping().root_table());
  void* const block = allocate(std::max<std::size_t>(total, 1), alignment);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

}  // namespace

extern "C" {

// Not inlined, for fibers that go on in another thread: see perdure_run.

[[gnu::noinline]] void* perdure_pool_of_thread() {
  Heap* const heap = perdure::alloc::current_heap();
  return heap == nullptr ? nullptr : heap->mapping().base();
}

[[gnu::noinline]] void* perdure_allocate_in(void* pool, std::size_t count, std::size_t bytes, std::size_t alignment) {
  return allocate_in(pool, count, bytes, alignment, [](std::size_t total, std::size_t aligned) {
    return perdure::tx::allocate_block(total, aligned, perdure::alloc::take_next_layout());
  });
}

void* perdure_tm_perdure_allocate_in(void* pool, std::size_t count, std::size_t bytes, std::size_t alignment) {
  return allocate_in(pool, count, bytes, alignment, perdure::entry::transactional_allocate);
}

}  // extern "C"
