#include "alloc/block_around.h"

#include <algorithm>

namespace perdure::alloc {
namespace {

Place small_block_around(Heap& heap, std::uint64_t superblock, Use use, const void* address) {
  std::byte* const base = heap.superblocks().address(superblock);
  const std::size_t size = class_bytes[class_of(use)];
  const std::uint32_t number =
      block_at(class_of(use), static_cast<std::size_t>(static_cast<const std::byte*>(address) - base));
  if (number >= blocks_in_superblock(class_of(use))) return {Place::Kind::free, base, pool::superblock_bytes};
  std::byte* const begin = base + number * size;
  const bool is_free = !heap.is_block(begin) || is_at_hand(heap, begin);
  return {is_free ? Place::Kind::free : Place::Kind::block, begin, size};
}

}  // namespace

Place place_around(Heap& heap, const void* address) {
  Superblocks& superblocks = heap.superblocks();
  std::uint64_t number = superblocks.number_of(address);
  const Use use = superblocks.use(number);
  if (is_small(use) || is_held(use)) return small_block_around(heap, number, use, address);
  switch (use) {
    case Use::large_rest:
      number = superblocks.extent(number);
      [[fallthrough]];
    case Use::large:
      return {Place::Kind::block, superblocks.address(number), superblocks.extent(number) * pool::superblock_bytes};
    case Use::metadata:
      return {Place::Kind::metadata, superblocks.address(number), pool::superblock_bytes};
    case Use::log:
      return {Place::Kind::log, superblocks.address(number), pool::superblock_bytes};
    default:
      return {Place::Kind::free, superblocks.address(number), pool::superblock_bytes};
  }
}

bool is_claimed(const BlockStack& stack, const void* block) {
  const Claim& claim = stack.claim();
  const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(block) - claim.base);
  return claim.superblock != 0 && offset < pool::superblock_bytes &&
         claim.contains(block_at(class_of(stack.bin()), offset));
}

bool is_at_hand(const Heap& heap, const void* block) {
  const auto& reference = (*detail::caches_of_thread)[heap.mapping().slot()];
  if (reference.heap_number != heap.number()) return false;
  const BlockStack* stack = reference.cache->first_stack();
  for (; stack != nullptr; stack = stack->next()) {
    const auto blocks = stack->oldest(stack->count());
    if (std::find(blocks.begin(), blocks.end(), block) != blocks.end() || is_claimed(*stack, block)) return true;
  }
  return false;
}

}  // namespace perdure::alloc
