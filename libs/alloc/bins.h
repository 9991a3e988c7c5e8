#ifndef PERDURE_ALLOC_BINS_H
#define PERDURE_ALLOC_BINS_H

#include <cstddef>
#include <cstdint>

#include "alloc/size_classes.h"

/// Small blocks by size and by what they hold.
namespace perdure::alloc {

/// A layout of blocks in a pool, by its place in the table of that pool (alloc/layout_table.h). Part of the format.
using LayoutNumber = std::uint16_t;
inline constexpr LayoutNumber unknown_layout = 0;
inline constexpr LayoutNumber without_pointers = 1;  ///< the same in every pool, and in no table
inline constexpr LayoutNumber first_in_table = 2;
inline constexpr std::size_t layout_count = 1024;

/// The blocks of one size class and one layout. They lie in superblocks of their own, so that a superblock tells what
/// all of its blocks are. There is a number for each that can be; what is kept for one is made when it is first used.
enum class Bin : std::uint16_t { none = 0 };
inline constexpr std::size_t bin_count = 1 + layout_count * class_count;
static_assert(bin_count <= 65536);

constexpr Bin bin_of(std::size_t size_class, LayoutNumber layout) noexcept {
  return static_cast<Bin>(1 + layout * class_count + size_class);
}
constexpr std::size_t class_of(Bin bin) noexcept { return (static_cast<std::size_t>(bin) - 1) % class_count; }
constexpr LayoutNumber layout_of(Bin bin) noexcept {
  return static_cast<LayoutNumber>((static_cast<std::size_t>(bin) - 1) / class_count);
}

}  // namespace perdure::alloc

#endif
