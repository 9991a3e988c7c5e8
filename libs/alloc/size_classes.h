#ifndef PERDURE_ALLOC_SIZE_CLASSES_H
#define PERDURE_ALLOC_SIZE_CLASSES_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "pool/format.h"

/// Sizes of small blocks. Part of the format: a descriptor names a class by its number.
namespace perdure::alloc {

/// Multiples of 32, and above 256 of 64, so that no two blocks share a chunk of a log. 12 to 25 % apart; the largest
/// divide a superblock with little rest.
inline constexpr std::array<std::uint32_t, 34> class_bytes = {
    32,   64,    96,    128,   160,   192,  224,  256,                           // in steps of 32
    320,  384,   448,   512,   640,   768,  896,  1024,                          // four steps between powers of two
    1280, 1536,  1792,  2048,  2560,  3072, 3584, 4096, 5440, 6528, 7232, 8192,  //
    9344, 10880, 13056, 16384, 21824, 32768};                                    // 7, 6, 5, 4, 3 and 2 in a superblock
inline constexpr std::size_t class_count = class_bytes.size();
inline constexpr std::size_t min_block_bytes = class_bytes.front();
inline constexpr std::size_t max_small_bytes = class_bytes.back();
inline constexpr std::size_t max_blocks = pool::superblock_bytes / min_block_bytes;
inline constexpr std::size_t max_alignment = pool::superblock_bytes;

constexpr std::uint32_t blocks_in_superblock(std::size_t size_class) noexcept {
  return static_cast<std::uint32_t>(pool::superblock_bytes / class_bytes[size_class]);
}

namespace detail {
inline constexpr auto class_by_size = [] {
  std::array<std::uint8_t, max_small_bytes / min_block_bytes + 1> table{};
  std::uint8_t size_class = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    while (class_bytes[size_class] < i * min_block_bytes) ++size_class;
    table[i] = size_class;
  }
  return table;
}();

/// 2^32 / size, rounded up: a product and a shift divide any offset in a superblock by the size exactly, because the
/// error, below 2^-16, is less than the distance of a fraction to the next whole number, at least 2^-15.
inline constexpr auto reciprocals = [] {
  std::array<std::uint64_t, class_count> table{};
  for (std::size_t i = 0; i < class_count; ++i)
    table[i] = ((std::uint64_t{1} << 32) + class_bytes[i] - 1) / class_bytes[i];
  return table;
}();
}  // namespace detail

/// The smallest class that holds `bytes`, at most max_small_bytes.
constexpr std::size_t class_for(std::size_t bytes) noexcept {
  return detail::class_by_size[(bytes + min_block_bytes - 1) / min_block_bytes];
}

/// The number of the block at `offset` in its superblock; blocks_in_superblock or more when it lies in the rest.
constexpr std::uint32_t block_at(std::size_t size_class, std::size_t offset) noexcept {
  return static_cast<std::uint32_t>((offset * detail::reciprocals[size_class]) >> 32);
}

/// The smallest class for `bytes` whose blocks are all aligned to `alignment`; class_count when there is none.
constexpr std::size_t aligned_class_for(std::size_t bytes, std::size_t alignment) noexcept {
  if (bytes > max_small_bytes) return class_count;
  std::size_t size_class = class_for(bytes);
  while (size_class < class_count && class_bytes[size_class] % alignment != 0) ++size_class;
  return size_class;
}

}  // namespace perdure::alloc

#endif
