// Clones of the functions of C that allocate by way of others (libs/abi/c_library.def).
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "c/library/private_memory.h"
#include "entry/allocation.h"

namespace {

constexpr std::size_t most_alignment = SIZE_MAX / 2 + 1;

std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

extern "C" {

void* perdure_tm_aligned_alloc(std::size_t alignment, std::size_t bytes);
void* perdure_tm_realloc(void* block, std::size_t bytes);
void perdure_tm_free(void* block);

/// Says why in its result, and leaves errno as it is.
int perdure_tm_posix_memalign(void** to, std::size_t alignment, std::size_t bytes) {
  const bool is_power_of_two = alignment != 0 && (alignment & (alignment - 1)) == 0;
  if (!is_power_of_two || alignment % sizeof(void*) != 0) return EINVAL;
  const int before = errno;
  void* const block = perdure_tm_aligned_alloc(alignment, bytes);
  errno = before;
  if (block == nullptr) return ENOMEM;
  perdure::c::write_variable(to, block);
  return 0;
}

void* perdure_tm_reallocarray(void* block, std::size_t count, std::size_t bytes) {
  std::size_t total = 0;
  if (!__builtin_mul_overflow(count, bytes, &total)) return perdure_tm_realloc(block, total);
  errno = ENOMEM;
  return nullptr;
}

/// The caller may write behind the bytes that were asked for, from here on.
std::size_t perdure_tm_malloc_usable_size(void* block) {
  return block == nullptr ? 0 : perdure::entry::use_whole_block(block);
}

/// As glibc, takes the next power of two.
void* perdure_tm_memalign(std::size_t alignment, std::size_t bytes) {
  if (alignment <= most_alignment)
    return perdure_tm_aligned_alloc(std::bit_ceil(std::max(alignment, alignof(std::max_align_t))), bytes);
  errno = EINVAL;
  return nullptr;
}

void* perdure_tm_valloc(std::size_t bytes) { return perdure_tm_aligned_alloc(page_bytes(), bytes); }

/// Whole pages.
void* perdure_tm_pvalloc(std::size_t bytes) {
  const std::size_t rest = page_bytes() - 1;
  std::size_t rounded = 0;
  if (!__builtin_add_overflow(bytes, rest, &rounded)) return perdure_tm_valloc(rounded & ~rest);
  errno = ENOMEM;
  return nullptr;
}

void perdure_tm_free_sized(void* block, std::size_t) { perdure_tm_free(block); }
void perdure_tm_free_aligned_sized(void* block, std::size_t, std::size_t) { perdure_tm_free(block); }

}  // extern "C"
