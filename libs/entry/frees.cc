// free and its relatives as files that are compiled with the plugin call them outside of transactions
// (plugin/discover/frees.h): memory of pools is told by its address.
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "abi/entry_points.h"
#include "alloc/object_heap.h"
#include "entry/allocation.h"
#include "pool/exception_memory.h"
#include "pool/fork.h"
#include "pool/window.h"
#include "tx/block_source.h"

namespace perdure::entry {

/// The block is reused when no log and no running transaction can touch it any more.
void free_from_pool(void* block) {
  if (pool::is_forked_child()) return;  // it is the parent's
  if (pool::exception_memory::free_settled(block)) return;
  perdure_run([](void* freed) { transactional_free(freed); }, block);
}

namespace {

/// An object stays one, so that it can be copied into a pool; else memory comes from the heap outside of transactions.
void* allocate_like(const void* block, std::size_t bytes) {
  if (const auto object = alloc::object_around(block))
    if (void* const moved = alloc::allocate_object(bytes, alignof(std::max_align_t), object->layout)) return moved;
  return std::malloc(bytes);
}

[[gnu::noinline]] void* move(void* block, std::size_t bytes) {
  void* moved = nullptr;
  if (bytes != 0) {
    moved = allocate_like(block, bytes);
    if (moved == nullptr) return nullptr;
    std::memcpy(moved, block, std::min(bytes, tx::usable_block_size(block)));
  }
  perdure_free(block);
  return moved;
}

}  // namespace
}  // namespace perdure::entry

extern "C" {

void perdure_free(void* block) {
  if (perdure::pool::in_window(block)) [[unlikely]]
    return perdure::entry::free_from_pool(block);
  if (perdure::alloc::in_object_range(block)) [[unlikely]]  // made by new; malloc would take it, too
    return perdure::alloc::free_object(block);
  std::free(block);
}

void* perdure_realloc(void* block, std::size_t bytes) {
  if (perdure::pool::in_window(block) || perdure::alloc::in_object_range(block)) [[unlikely]]
    return perdure::entry::move(block, bytes);
  return std::realloc(block, bytes);
}

void* perdure_reallocarray(void* block, std::size_t count, std::size_t bytes) {
  std::size_t total = 0;
  if (!__builtin_mul_overflow(count, bytes, &total)) return perdure_realloc(block, total);
  errno = ENOMEM;
  return nullptr;
}

std::size_t perdure_malloc_usable_size(void* block) { return perdure::tx::usable_block_size(block); }

}  // extern "C"
