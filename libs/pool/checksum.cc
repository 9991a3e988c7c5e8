#include "pool/checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace perdure::pool {

std::uint64_t checksum(const void* data, std::size_t bytes) noexcept { return XXH3_64bits(data, bytes); }

std::uint64_t checksum(const void* data, std::size_t bytes, std::uint64_t seed) noexcept {
  return XXH3_64bits_withSeed(data, bytes, seed);
}

}  // namespace perdure::pool
