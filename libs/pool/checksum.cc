#include "pool/checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace perdure::pool {

std::uint64_t checksum(const void* data, std::size_t bytes) noexcept { return XXH3_64bits(data, bytes); }

}  // namespace perdure::pool
