#ifndef PERDURE_ABI_BLOCK_LAYOUT_H
#define PERDURE_ABI_BLOCK_LAYOUT_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

/// Where the pointers of a block are. The plugin writes a constant of this form for each type that transactions
/// allocate (docs/abi.md), and a pool keeps those of its blocks (alloc/layout_table.h), so both have exactly this form.
namespace perdure::alloc {

/// Adjacent words of an element, each of 8 bytes.
struct LayoutWords {
  enum class Kind : std::uint8_t {
    pointer = 1,     ///< of any kind, to code too; null is allowed
    unsure = 2,      ///< may be a pointer, and nothing tells: an integer as large; a union of a pointer and others
    conditional = 3  ///< a pointer if (the byte at test_offset & test_mask) == test_value, otherwise none
  };

  std::uint32_t offset;       ///< of the first, from the beginning of the element; a multiple of 8
  std::uint32_t count;        ///< how many there are
  Kind kind;                  ///< of all of them
  std::uint8_t test_mask;     ///< 0 unless conditional, and so are the next three
  std::uint8_t test_value;    ///< what the bits of the mask are
  std::uint8_t reserved;      ///< 0
  std::uint32_t test_offset;  ///< of the byte, from the beginning of the element

  bool operator==(const LayoutWords&) const = default;
};
static_assert(sizeof(LayoutWords) == 16 && std::has_unique_object_representations_v<LayoutWords>);

/// What lies where in a block: elements side by side, from `first_element` on, as many as fit. Followed by its words,
/// sorted by offset and disjoint; what they do not cover holds no pointer. No words: there are no pointers at all.
struct BlockLayout {
  std::uint64_t cache;          ///< of the runtime: a heap, and the number of this layout in its pool. At first 0
  std::uint32_t element_bytes;  ///< a multiple of 8 if there are words; otherwise 0
  std::uint32_t first_element;  ///< bytes before the first (the count that new[] writes); a multiple of 8
  std::uint32_t word_count;     ///< how many LayoutWords follow
  std::uint32_t reserved;       ///< 0

  static constexpr std::uint32_t max_words = 2048;
  static constexpr std::uint32_t max_element_bytes = 64 * 1024;

  std::span<const LayoutWords> words() const noexcept {
    return {reinterpret_cast<const LayoutWords*>(this + 1), word_count};
  }
};
static_assert(sizeof(BlockLayout) == 24 && std::is_trivially_copyable_v<BlockLayout>);

/// Of blocks without a pointer, whatever they hold.
inline constinit BlockLayout no_pointers{0, 0, 0, 0, 0};

/// Whether both say the same of a block.
inline bool operator==(const BlockLayout& left, const BlockLayout& right) noexcept {
  return left.element_bytes == right.element_bytes && left.first_element == right.first_element &&
         std::ranges::equal(left.words(), right.words());
}

/// Of the contents: equal for layouts that are equal, in any process.
std::uint64_t hash_of(const BlockLayout& layout) noexcept;

/// Whether the layout keeps to what is said above. To be asked of what comes from a file before anything else; reads
/// no words if there are too many.
bool is_sound(const BlockLayout& layout) noexcept;

}  // namespace perdure::alloc

#endif
