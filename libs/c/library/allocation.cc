// Clones of the functions of C that allocate by way of others (libs/abi/c_library.def).
#include <cerrno>
#include <cstddef>

#include "c/library/private_memory.h"

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

void perdure_tm_free_sized(void* block, std::size_t) { perdure_tm_free(block); }
void perdure_tm_free_aligned_sized(void* block, std::size_t, std::size_t) { perdure_tm_free(block); }

}  // extern "C"
