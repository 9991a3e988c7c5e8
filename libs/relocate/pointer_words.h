#ifndef PERDURE_RELOCATE_POINTER_WORDS_H
#define PERDURE_RELOCATE_POINTER_WORDS_H

#include <cstddef>
#include <cstdint>
#include <span>

#include "abi/block_layout.h"
#include "alloc/heap.h"

/// The pointers of a pool that nobody uses: its blocks in use, and what their layouts say is in them.
namespace perdure::relocate {

/// Calls `function(block)` with the bytes of each block in use that begins in a superblock. Of a pool whose snapshot
/// has been loaded.
template <class Function>
void for_each_block_in_use(alloc::Heap& heap, std::uint64_t superblock, Function&& function) {
  const alloc::Superblocks& superblocks = heap.superblocks();
  std::byte* const begin = superblocks.address(superblock);
  const alloc::Use use = superblocks.use(superblock);
  if (use == alloc::Use::large) function(std::span(begin, superblocks.extent(superblock) * pool::superblock_bytes));
  if (!alloc::is_small(use)) return;
  const std::size_t size_class = alloc::class_of(use);
  const std::size_t bytes = alloc::class_bytes[size_class];
  const alloc::BlockBitmap& bitmap = heap.small_blocks().bitmap(superblock);
  for (std::uint32_t block = 0; block < alloc::blocks_in_superblock(size_class); ++block)
    if ((bitmap.words[block / 64] >> (block % 64) & 1) == 0) function(std::span(begin + block * bytes, bytes));
}

/// Whether an address leads into a block in use. \param offset  of it from the beginning of the pool.
inline bool is_in_block_in_use(alloc::Heap& heap, std::uint64_t offset) {
  const std::uint64_t superblock = offset / pool::superblock_bytes;
  if (superblock < pool::first_superblock || superblock >= heap.superblocks().count()) return false;
  const alloc::Use use = heap.superblocks().use(superblock);
  if (!alloc::is_small(use)) return use == alloc::Use::large || use == alloc::Use::large_rest;
  const std::uint32_t block = alloc::block_at(alloc::class_of(use), offset % pool::superblock_bytes);
  return block < alloc::blocks_in_superblock(alloc::class_of(use)) &&
         (heap.small_blocks().bitmap(superblock).words[block / 64] >> (block % 64) & 1) == 0;
}

/// Calls `function(word, is_pointer)` for each word of a block that is a pointer, and for each that may be one where
/// nothing tells. Where the layout is not known (null) that is every word. In the unused rest of a block, words are
/// what an earlier use has left.
template <class Function>
void for_each_pointer_word(std::span<std::byte> block, const alloc::BlockLayout* layout, Function&& function) {
  using Kind = alloc::LayoutWords::Kind;
  const auto word_at = [&](std::size_t offset) -> std::uint64_t& {
    return *reinterpret_cast<std::uint64_t*>(block.data() + offset);
  };
  if (layout == nullptr) {
    for (std::size_t offset = 0; offset < block.size(); offset += sizeof(std::uint64_t))
      function(word_at(offset), false);
    return;
  }
  if (layout->word_count == 0) return;
  for (std::size_t element = layout->first_element; element + layout->element_bytes <= block.size();
       element += layout->element_bytes) {
    for (const alloc::LayoutWords& words : layout->words()) {
      const auto tested = static_cast<std::uint8_t>(block[element + words.test_offset]);
      if (words.kind == Kind::conditional && (tested & words.test_mask) != words.test_value) continue;
      for (std::size_t i = 0; i < words.count; ++i)
        function(word_at(element + words.offset + i * sizeof(std::uint64_t)), words.kind != Kind::unsure);
    }
  }
}

}  // namespace perdure::relocate

#endif
