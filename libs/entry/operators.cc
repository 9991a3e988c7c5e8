// The global operators new and delete, for code outside of transactions. What a transaction allocated from a pool may
// be deleted anywhere (a std::string that it returned, say): delete tells pool memory by its address. New is replaced
// too, because the two belong together. Not weak: AddressSanitizer's come first on the command line, and would win.
//
// Those of the program are called for all memory but that of pools (plugin/discover/own_operators.h). What transactions
// allocate while no pool is open comes from malloc, so theirs must, too.
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

extern "C" {
#define PERDURE_OPERATOR(symbol, result, parameters) [[gnu::weak]] result perdure_replaced_##symbol parameters;
#include "abi/operators.def"
}

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

/// Frees what is not for `free`, nor for an operator of the program. \returns whether that was so.
bool deallocate_here(void* block) noexcept {
  if (perdure::entry::is_calling_privately) [[unlikely]]
    perdure::entry::free_privately(block);
  else if (perdure::pool::in_window(block)) [[unlikely]]
    perdure::entry::free_from_pool(block);
  else if (perdure::alloc::in_object_range(block)) [[unlikely]]
    perdure::alloc::free_object(block);
  else
    return false;
  return true;
}

/// The program's operator, if it has one and may be asked now; otherwise what the standard has the default do.
template <class Operator, class Default, class... Arguments>
auto call(Operator* replaced, Default otherwise, Arguments&&... arguments) {
  if (replaced != nullptr && !perdure::entry::is_calling_privately) [[unlikely]]
    return replaced(arguments...);
  return otherwise();
}

template <class Allocate>
void* null_if_it_throws(Allocate allocate) noexcept {
  try {
    return allocate();
  } catch (...) {
    return nullptr;
  }
}

std::size_t bytes_of(std::align_val_t alignment) { return static_cast<std::size_t>(alignment); }

}  // namespace

void* operator new(std::size_t bytes) {
  return call(perdure_replaced__Znwm, [=] { return allocate_or_throw(bytes); }, bytes);
}
void* operator new[](std::size_t bytes) {
  return call(perdure_replaced__Znam, [=] { return operator new(bytes); }, bytes);
}
void* operator new(std::size_t bytes, const std::nothrow_t& tag) noexcept {
  const auto otherwise = [=] { return null_if_it_throws([=] { return operator new(bytes); }); };
  return call(perdure_replaced__ZnwmRKSt9nothrow_t, otherwise, bytes, tag);
}
void* operator new[](std::size_t bytes, const std::nothrow_t& tag) noexcept {
  const auto otherwise = [=] { return null_if_it_throws([=] { return operator new[](bytes); }); };
  return call(perdure_replaced__ZnamRKSt9nothrow_t, otherwise, bytes, tag);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto otherwise = [=] { return allocate_or_throw(bytes, bytes_of(alignment)); };
  return call(perdure_replaced__ZnwmSt11align_val_t, otherwise, bytes, alignment);
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  const auto otherwise = [=] { return operator new(bytes, alignment); };
  return call(perdure_replaced__ZnamSt11align_val_t, otherwise, bytes, alignment);
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t& tag) noexcept {
  const auto otherwise = [=] { return null_if_it_throws([=] { return operator new(bytes, alignment); }); };
  return call(perdure_replaced__ZnwmSt11align_val_tRKSt9nothrow_t, otherwise, bytes, alignment, tag);
}
void* operator new[](std::size_t bytes, std::align_val_t alignment, const std::nothrow_t& tag) noexcept {
  const auto otherwise = [=] { return null_if_it_throws([=] { return operator new[](bytes, alignment); }); };
  return call(perdure_replaced__ZnamSt11align_val_tRKSt9nothrow_t, otherwise, bytes, alignment, tag);
}

void operator delete(void* block) noexcept {
  if (!deallocate_here(block)) call(perdure_replaced__ZdlPv, [=] { std::free(block); }, block);
}
void operator delete[](void* block) noexcept {
  if (!deallocate_here(block)) call(perdure_replaced__ZdaPv, [=] { operator delete(block); }, block);
}
void operator delete(void* block, std::size_t bytes) noexcept {
  if (!deallocate_here(block)) call(perdure_replaced__ZdlPvm, [=] { operator delete(block); }, block, bytes);
}
void operator delete[](void* block, std::size_t bytes) noexcept {
  if (!deallocate_here(block)) call(perdure_replaced__ZdaPvm, [=] { operator delete[](block); }, block, bytes);
}
void operator delete(void* block, const std::nothrow_t& tag) noexcept {
  const auto otherwise = [=] { operator delete(block); };
  if (!deallocate_here(block)) call(perdure_replaced__ZdlPvRKSt9nothrow_t, otherwise, block, tag);
}
void operator delete[](void* block, const std::nothrow_t& tag) noexcept {
  const auto otherwise = [=] { operator delete[](block); };
  if (!deallocate_here(block)) call(perdure_replaced__ZdaPvRKSt9nothrow_t, otherwise, block, tag);
}
void operator delete(void* block, std::align_val_t alignment) noexcept {
  const auto otherwise = [=] { std::free(block); };
  if (!deallocate_here(block)) call(perdure_replaced__ZdlPvSt11align_val_t, otherwise, block, alignment);
}
void operator delete[](void* block, std::align_val_t alignment) noexcept {
  const auto otherwise = [=] { operator delete(block, alignment); };
  if (!deallocate_here(block)) call(perdure_replaced__ZdaPvSt11align_val_t, otherwise, block, alignment);
}
void operator delete(void* block, std::size_t bytes, std::align_val_t alignment) noexcept {
  const auto otherwise = [=] { operator delete(block, alignment); };
  if (!deallocate_here(block)) call(perdure_replaced__ZdlPvmSt11align_val_t, otherwise, block, bytes, alignment);
}
void operator delete[](void* block, std::size_t bytes, std::align_val_t alignment) noexcept {
  const auto otherwise = [=] { operator delete[](block, alignment); };
  if (!deallocate_here(block)) call(perdure_replaced__ZdaPvmSt11align_val_t, otherwise, block, bytes, alignment);
}
void operator delete(void* block, std::align_val_t alignment, const std::nothrow_t& tag) noexcept {
  const auto otherwise = [=] { operator delete(block, alignment); };
  if (!deallocate_here(block))
    call(perdure_replaced__ZdlPvSt11align_val_tRKSt9nothrow_t, otherwise, block, alignment, tag);
}
void operator delete[](void* block, std::align_val_t alignment, const std::nothrow_t& tag) noexcept {
  const auto otherwise = [=] { operator delete[](block, alignment); };
  if (!deallocate_here(block))
    call(perdure_replaced__ZdaPvSt11align_val_tRKSt9nothrow_t, otherwise, block, alignment, tag);
}

#endif
