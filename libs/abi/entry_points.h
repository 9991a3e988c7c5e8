#ifndef PERDURE_ABI_ENTRY_POINTS_H
#define PERDURE_ABI_ENTRY_POINTS_H

#include <cstddef>
#include <cstdint>

/// The functions that the plugin emits calls to. They are the whole of what the plugin knows of the runtime; see
/// docs/abi.md. All may leave by a non-local jump (abort) instead of returning; those that allocate may also throw.
extern "C" {

#define PERDURE_TYPE(suffix, type)                 \
  type perdure_read_##suffix(type const* address); \
  void perdure_write_##suffix(type* address, type value);
#include "abi/types.def"

/// Copies `size` bytes from shared memory to `to`, which is private to the transaction (its own stack frame).
void perdure_read_bytes(void* to, const void* from, std::size_t size);
/// Copies `size` bytes from `from`, private to the transaction or constant, to shared memory.
void perdure_write_bytes(void* to, const void* from, std::size_t size);

/// memcpy, memmove and memset where either side may be shared.
void* perdure_memcpy(void* to, const void* from, std::size_t size);
void* perdure_memmove(void* to, const void* from, std::size_t size);
void* perdure_memset(void* to, int byte, std::size_t size);

/// Runs a transaction (see perdure/transaction.h). In a transactional clone the plugin replaces a call to it by a
/// direct call to the body's clone: nesting is flat.
void perdure_run(void (*body)(void*), void* closure);
}

#endif
