// Clones of the allocation functions of C and C++ (libs/abi/provided.def).
#include "entry/allocation.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include "abi/entry_points.h"
#include "alloc/next_layout.h"
#include "tx/block_source.h"

namespace {

using perdure::entry::transactional_allocate;
using perdure::entry::transactional_free;

constexpr std::size_t default_alignment = alignof(std::max_align_t);

void* allocate_or_throw(std::size_t bytes, std::size_t alignment = default_alignment) {
  void* const block = transactional_allocate(bytes, alignment);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

/// The C functions also say why in errno.
void* allocate_or_set_errno(std::size_t bytes, std::size_t alignment = default_alignment) {
  void* const block = transactional_allocate(bytes, alignment);
  if (block == nullptr) errno = ENOMEM;
  return block;
}

}  // namespace

extern "C" {

void perdure_set_block_layout(perdure::alloc::BlockLayout* layout) { perdure::alloc::set_next_layout(layout); }

// C

void* perdure_tm_malloc(std::size_t bytes) { return allocate_or_set_errno(bytes); }

void* perdure_tm_calloc(std::size_t count, std::size_t bytes) {
  std::size_t total = 0;
  if (__builtin_mul_overflow(count, bytes, &total)) {
    perdure::alloc::take_next_layout();
    errno = ENOMEM;
    return nullptr;
  }
  void* const block = allocate_or_set_errno(total);
  return block == nullptr ? nullptr : perdure_memset(block, 0, total);
}

void* perdure_tm_realloc(void* block, std::size_t bytes) {
  if (block == nullptr) return allocate_or_set_errno(bytes);
  perdure::alloc::set_next_layout(perdure::tx::layout_of_block(block));
  void* const moved = allocate_or_set_errno(bytes);
  if (moved == nullptr) return nullptr;
  perdure_memcpy(moved, block, std::min(bytes, perdure::entry::transactional_size(block)));
  transactional_free(block);
  return moved;
}

void* perdure_tm_aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return allocate_or_set_errno(bytes, alignment);
}

void perdure_tm_free(void* block) { transactional_free(block); }

// C++: operator new and new[]

void* perdure_tm__Znwm(std::size_t bytes) { return allocate_or_throw(bytes); }
void* perdure_tm__Znam(std::size_t bytes) { return allocate_or_throw(bytes); }

void* perdure_tm__ZnwmRKSt9nothrow_t(std::size_t bytes, const std::nothrow_t&) {
  return transactional_allocate(bytes, default_alignment);
}
void* perdure_tm__ZnamRKSt9nothrow_t(std::size_t bytes, const std::nothrow_t&) {
  return transactional_allocate(bytes, default_alignment);
}

void* perdure_tm__ZnwmSt11align_val_t(std::size_t bytes, std::align_val_t alignment) {
  return allocate_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* perdure_tm__ZnamSt11align_val_t(std::size_t bytes, std::align_val_t alignment) {
  return allocate_or_throw(bytes, static_cast<std::size_t>(alignment));
}

void* perdure_tm__ZnwmSt11align_val_tRKSt9nothrow_t(std::size_t bytes, std::align_val_t alignment,
                                                    const std::nothrow_t&) {
  return transactional_allocate(bytes, static_cast<std::size_t>(alignment));
}
void* perdure_tm__ZnamSt11align_val_tRKSt9nothrow_t(std::size_t bytes, std::align_val_t alignment,
                                                    const std::nothrow_t&) {
  return transactional_allocate(bytes, static_cast<std::size_t>(alignment));
}

// C++: operator delete and delete[], plain, sized, nothrow, aligned

void perdure_tm__ZdlPv(void* block) { transactional_free(block); }
void perdure_tm__ZdaPv(void* block) { transactional_free(block); }
void perdure_tm__ZdlPvm(void* block, std::size_t) { transactional_free(block); }
void perdure_tm__ZdaPvm(void* block, std::size_t) { transactional_free(block); }
void perdure_tm__ZdlPvRKSt9nothrow_t(void* block, const std::nothrow_t&) { transactional_free(block); }
void perdure_tm__ZdaPvRKSt9nothrow_t(void* block, const std::nothrow_t&) { transactional_free(block); }
void perdure_tm__ZdlPvSt11align_val_t(void* block, std::align_val_t) { transactional_free(block); }
void perdure_tm__ZdaPvSt11align_val_t(void* block, std::align_val_t) { transactional_free(block); }
void perdure_tm__ZdlPvmSt11align_val_t(void* block, std::size_t, std::align_val_t) { transactional_free(block); }
void perdure_tm__ZdaPvmSt11align_val_t(void* block, std::size_t, std::align_val_t) { transactional_free(block); }

}  // extern "C"
