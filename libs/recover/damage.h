#ifndef PERDURE_RECOVER_DAMAGE_H
#define PERDURE_RECOVER_DAMAGE_H

#include <cstdint>
#include <string>

#include "alloc/heap.h"
#include "perdure/error.h"
#include "pool/format.h"

/// What recovery checks in a log before it believes it.
namespace perdure::recover {

/// \param log  any address in the log.
/// \param what  is wrong with it.
[[noreturn]] inline void refuse_log(const alloc::Heap& heap, const void* log, const char* what) {
  const std::string path = heap.mapping().path();
  const auto offset = pool::offset_in_pool(log);
  throw PoolError(PoolError::Kind::damaged, path,
                  path + ": the log at offset " + std::to_string(offset) + " is damaged (" + what +
                      "); the file was not changed. Restore it from a copy.");
}

inline bool is_in_pool(alloc::Heap& heap, std::uint64_t address) {
  const auto base = reinterpret_cast<std::uintptr_t>(heap.mapping().base());
  return address >= base && address - base < heap.superblocks().count() * pool::superblock_bytes;
}

inline alloc::Use use_of(alloc::Heap& heap, std::uint64_t address) {
  return heap.superblocks().use(heap.superblocks().number_of(reinterpret_cast<const void*>(address)));
}

inline bool is_log_segment(alloc::Heap& heap, std::uint64_t address) {
  return address % pool::superblock_bytes == 0 && is_in_pool(heap, address) && use_of(heap, address) == alloc::Use::log;
}

/// Whether transactions write there: blocks and the root table, not logs and other metadata.
inline bool is_data(alloc::Heap& heap, std::uint64_t address) {
  if (!is_in_pool(heap, address)) return false;
  const auto offset = address - reinterpret_cast<std::uintptr_t>(heap.mapping().base());
  if (offset / pool::superblock_bytes == pool::root_table_offset / pool::superblock_bytes) return true;
  const alloc::Use use = use_of(heap, address);
  return use != alloc::Use::metadata && use != alloc::Use::log;
}

}  // namespace perdure::recover

#endif
