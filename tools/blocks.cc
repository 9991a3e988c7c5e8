#include "blocks.h"

namespace perdure::tools {

std::span<const std::byte> block_of(alloc::Heap& heap, std::uintptr_t address) {
  const alloc::Superblocks& superblocks = heap.superblocks();
  const std::uintptr_t offset = address - reinterpret_cast<std::uintptr_t>(superblocks.mapping().base());
  const std::uint64_t number = offset / pool::superblock_bytes;
  if (number >= superblocks.count()) return {};
  const alloc::Use use = superblocks.use(number);
  const std::byte* block = nullptr;
  if (is_small(use)) {
    const std::size_t size_class = alloc::class_of(use);
    const std::size_t in_superblock = alloc::block_at(size_class, offset % pool::superblock_bytes);
    block = superblocks.address(number) + in_superblock * alloc::class_bytes[size_class];
  } else if (use == alloc::Use::large || use == alloc::Use::large_rest) {
    block = superblocks.address(use == alloc::Use::large ? number : superblocks.extent(number));
  }
  if (block == nullptr || !heap.is_block(block)) return {};
  return {block, heap.usable_size(block)};
}

}  // namespace perdure::tools
