// What `new` makes outside of transactions, in files that are compiled with -fplugin-arg-perdure-persistable
// (alloc/object_heap.h).
#include <algorithm>
#include <cstddef>
#include <new>

#include "alloc/next_layout.h"
#include "alloc/object_heap.h"
#include "entry/allocation.h"
#include "entry/private_calls.h"

namespace {

void* allocate_elsewhere(std::size_t bytes, std::size_t alignment, bool may_throw) {
  const std::align_val_t aligned{alignment};
  if (alignment <= alignof(std::max_align_t))
    return may_throw ? ::operator new(bytes) : ::operator new(bytes, std::nothrow);
  return may_throw ? ::operator new(bytes, aligned) : ::operator new(bytes, aligned, std::nothrow);
}

}  // namespace

extern "C" {

/// In place of the operators new. \param may_throw  0 for those that return null instead.
void* perdure_allocate_object(perdure::alloc::BlockLayout* layout, std::size_t bytes, std::size_t alignment,
                              int may_throw) {
  void* const object = perdure::entry::is_calling_privately
                           ? nullptr
                           : perdure::alloc::allocate_object(std::max<std::size_t>(bytes, 1), alignment, layout);
  return object != nullptr ? object : allocate_elsewhere(bytes, alignment, may_throw != 0);
}

/// The linker may clone a function that calls it.
void* perdure_tm_perdure_allocate_object(perdure::alloc::BlockLayout* layout, std::size_t bytes, std::size_t alignment,
                                         int may_throw) {
  perdure::alloc::set_next_layout(layout);
  void* const block = perdure::entry::transactional_allocate(bytes, alignment);
  if (block == nullptr && may_throw != 0) throw std::bad_alloc();
  return block;
}

}  // extern "C"
