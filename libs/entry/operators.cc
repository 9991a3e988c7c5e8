// The global operators new and delete, for code outside of transactions. What a transaction allocated from a pool may
// be deleted anywhere (a std::string that it returned, say): delete tells pool memory by its address. New is replaced
// too, because the two belong together. Not weak: AddressSanitizer's come first on the command line, and would win.
#include <cstdlib>
#include <new>

#include "abi/entry_points.h"
#include "alloc/object_heap.h"
#include "entry/allocation.h"
#include "entry/private_calls.h"
#include "persist/sanitizers.h"
#include "pool/window.h"

void perdure::entry::link_operators() {}

/// Brings perdure_free and its relatives into the program. Files have weak ones (plugin/discover/frees.h), so their own
/// names would not do.
[[gnu::used]] static void (*const with_frees)(void*) = perdure::entry::free_from_pool;

// ThreadSanitizer's own operators cannot be replaced; there, pool memory must be deleted in transactions.
#ifndef PERDURE_THREAD_SANITIZER

namespace {

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (bytes == 0) bytes = 1;
  if (perdure::entry::is_calling_privately) [[unlikely]]
    return perdure::entry::allocate_privately(bytes, alignment);
  if (alignment <= alignof(std::max_align_t)) return std::malloc(bytes);
  void* block = nullptr;
  return posix_memalign(&block, alignment, bytes) == 0 ? block : nullptr;
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment = 1) {
  for (;;) {
    if (void* const block = allocate(bytes, alignment)) return block;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void* allocate_or_null(std::size_t bytes, std::size_t alignment = 1) noexcept {
  try {
    return allocate_or_throw(bytes, alignment);
  } catch (...) {
    return nullptr;
  }
}

void deallocate(void* block) noexcept {
  if (perdure::entry::is_calling_privately) [[unlikely]]
    perdure::entry::free_privately(block);
  else if (perdure::pool::in_window(block)) [[unlikely]]
    perdure::entry::free_from_pool(block);
  else if (perdure::alloc::in_object_range(block)) [[unlikely]]
    perdure::alloc::free_object(block);
  else
    std::free(block);
}

std::size_t bytes_of(std::align_val_t alignment) { return static_cast<std::size_t>(alignment); }

}  // namespace

void* operator new(std::size_t bytes) { return allocate_or_throw(bytes); }
void* operator new[](std::size_t bytes) { return allocate_or_throw(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate_or_null(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return allocate_or_null(bytes); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate_or_throw(bytes, bytes_of(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return allocate_or_throw(bytes, bytes_of(alignment));
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate_or_null(bytes, bytes_of(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate_or_null(bytes, bytes_of(alignment));
}

void operator delete(void* block) noexcept { deallocate(block); }
void operator delete[](void* block) noexcept { deallocate(block); }
void operator delete(void* block, std::size_t) noexcept { deallocate(block); }
void operator delete[](void* block, std::size_t) noexcept { deallocate(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { deallocate(block); }
void operator delete[](void* block, const std::nothrow_t&) noexcept { deallocate(block); }
void operator delete(void* block, std::align_val_t) noexcept { deallocate(block); }
void operator delete[](void* block, std::align_val_t) noexcept { deallocate(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { deallocate(block); }
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept { deallocate(block); }
void operator delete(void* block, std::align_val_t, const std::nothrow_t&) noexcept { deallocate(block); }
void operator delete[](void* block, std::align_val_t, const std::nothrow_t&) noexcept { deallocate(block); }

#endif
