#include "tx/block_source.h"

#include <malloc.h>

#include <cstdlib>

#include "alloc/heap.h"
#include "alloc/object_heap.h"
#include "pool/window.h"

namespace perdure::tx {

void* allocate_block(std::size_t bytes, std::size_t alignment, alloc::BlockLayout* layout) {
  if (alloc::Heap* const heap = alloc::current_heap()) return heap->allocate(bytes, alignment, layout);
  // Where objects can be copied into a pool later, those of transactions are among them.
  if (layout != nullptr && alloc::is_object_range_used())
    if (void* const object = alloc::allocate_object(bytes, alignment, layout)) return object;
  if (alignment <= alignof(std::max_align_t)) return std::malloc(bytes);
  void* block = nullptr;
  return posix_memalign(&block, alignment, bytes) == 0 ? block : nullptr;
}

void free_block(void* block) { BlockReturn()(block); }

namespace {
void free_outside_of_pools(void* block) {
  if (alloc::in_object_range(block)) return alloc::free_object(block);
  std::free(block);
}
}  // namespace

void BlockReturn::begin_superblock(void* block) {
  superblock_ = 0;
  if (!pool::in_window(block)) return free_outside_of_pools(block);
  // A block of a pool that has been closed since went with it; in one that is open for reading everything stays,
  // and in one that a forked child has inherited.
  alloc::Heap* const heap = alloc::heap_of(block);
  if (heap == nullptr || heap->mapping().read_only() || heap->is_retired()) return;
  stack_ = heap->deallocate(block);
  if (stack_ != nullptr) superblock_ = superblock_of(block);
}

alloc::BlockLayout* layout_of_block(const void* block) {
  if (!pool::in_window(block)) return nullptr;
  const alloc::Heap* const heap = alloc::heap_of(block);
  return heap == nullptr ? nullptr : heap->layout_of(block);
}

std::size_t usable_block_size(void* block) {
  if (!pool::in_window(block)) {
    const auto object = alloc::object_around(block);
    return object ? object->bytes : malloc_usable_size(block);
  }
  alloc::Heap* const heap = alloc::heap_of(block);
  return heap == nullptr ? 0 : heap->usable_size(block);
}

}  // namespace perdure::tx
