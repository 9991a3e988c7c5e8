#ifndef PERDURE_POOL_SIZE_LIMIT_H
#define PERDURE_POOL_SIZE_LIMIT_H

#include <algorithm>
#include <cstdint>
#include <filesystem>

#include "perdure/error.h"
#include "pool/format.h"
#include "pool/refuse.h"
#include "pool/window.h"

/// What OpenOptions::size_limit means; 0: nothing is said.
namespace perdure::pool {

inline constexpr std::uint64_t initial_superblocks = 16;  // 1 MiB

/// How many slots a new pool takes.
inline std::size_t slots_for(std::uint64_t size_limit) {
  const std::uint64_t wanted = std::min(size_limit, most_data_bytes) + code_area_bytes;
  return std::max<std::uint64_t>(1, (wanted + slot_bytes - 1) / slot_bytes);
}

/// \throws PoolError (Kind::usage) where it is too small.
inline std::uint64_t limit_in_superblocks(std::uint64_t size_limit, std::size_t slots,
                                          const std::filesystem::path& path) {
  const std::uint64_t most = data_bytes_in(slots) / superblock_bytes;
  if (size_limit == 0) return most;
  const std::uint64_t limit = std::min<std::uint64_t>(size_limit / superblock_bytes, most);
  if (limit < initial_superblocks)
    refuse(PoolError::Kind::usage, path,
           "a size limit of " + spell_bytes(size_limit) + " is too small. Give at least " +
               spell_bytes(initial_superblocks * superblock_bytes) + ".");
  return limit;
}

}  // namespace perdure::pool

#endif
