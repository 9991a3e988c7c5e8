#include "abi/block_layout.h"

#include "pool/checksum.h"

namespace perdure::alloc {
namespace {

constexpr std::uint64_t word_bytes = 8;

bool is_sound(const LayoutWords& words, std::uint64_t begin, std::uint64_t element_bytes) {
  const bool is_inside = words.offset >= begin && words.offset % word_bytes == 0 && words.count != 0 &&
                         words.offset + word_bytes * words.count <= element_bytes;
  if (!is_inside || words.reserved != 0) return false;
  switch (words.kind) {
    case LayoutWords::Kind::pointer:
    case LayoutWords::Kind::unsure:
      return words.test_mask == 0 && words.test_value == 0 && words.test_offset == 0;
    case LayoutWords::Kind::conditional:
      return words.test_offset < element_bytes && (words.test_value & ~words.test_mask) == 0;
  }
  return false;
}

}  // namespace

std::uint64_t hash_of(const BlockLayout& layout) noexcept {
  const std::uint64_t head = pool::mix(layout.element_bytes, layout.first_element);
  return pool::mix(head, pool::checksum(layout.words().data(), layout.words().size_bytes()));
}

bool is_sound(const BlockLayout& layout) noexcept {
  if (layout.word_count == 0) return true;  // the rest means nothing
  const bool is_head_sound = layout.word_count <= BlockLayout::max_words && layout.element_bytes % word_bytes == 0 &&
                             layout.element_bytes <= BlockLayout::max_element_bytes &&
                             layout.first_element % word_bytes == 0 &&
                             layout.first_element <= BlockLayout::max_element_bytes && layout.reserved == 0;
  if (!is_head_sound) return false;
  std::uint64_t begin = 0;
  for (const LayoutWords& words : layout.words()) {
    if (!is_sound(words, begin, layout.element_bytes)) return false;
    begin = words.offset + word_bytes * words.count;
  }
  return true;
}

}  // namespace perdure::alloc
