#include "reachability.h"

#include <span>
#include <unordered_set>
#include <vector>

#include "blocks.h"

namespace perdure::tools {
namespace {

using Block = std::span<const std::byte>;

class Walk {
 public:
  explicit Walk(alloc::Heap& heap) : heap_(heap) {}

  void walk() {
    visit_words({reinterpret_cast<const std::byte*>(&heap_.mapping().root_table()), sizeof(roots::RootTable)});
    while (!worklist_.empty()) {
      const Block block = worklist_.back();
      worklist_.pop_back();
      visit_words(block);
    }
  }

  bool has_reached(const void* block) const { return reached_.contains(block); }

 private:
  void visit_words(Block block) {
    const auto* const words = reinterpret_cast<const std::uintptr_t*>(block.data());
    for (std::size_t i = 0; i < block.size() / sizeof(std::uintptr_t); ++i) visit(words[i]);
  }

  void visit(std::uintptr_t word) {
    const Block block = block_of(heap_, word);
    if (!block.empty() && reached_.insert(block.data()).second) worklist_.push_back(block);
  }

  alloc::Heap& heap_;
  std::unordered_set<const void*> reached_;
  std::vector<Block> worklist_;
};

/// Calls `function` with each block in use.
template <class Function>
void for_each_block(alloc::Heap& heap, Function&& function) {
  const alloc::Superblocks& superblocks = heap.superblocks();
  for (std::uint64_t number = pool::first_superblock; number < superblocks.count(); ++number) {
    const alloc::Use use = superblocks.use(number);
    if (use == alloc::Use::large) function(superblocks.address(number));
    if (!is_small(use)) continue;
    const alloc::Bin bin = superblocks.bin(number);
    const std::size_t size_class = alloc::class_of(bin);
    for (std::uint32_t block = 0; block < alloc::blocks_in_superblock(size_class); ++block)
      if (heap.small_blocks().is_taken(bin, number, block))
        function(superblocks.address(number) + block * alloc::class_bytes[size_class]);
  }
}

}  // namespace

Unreachable find_unreachable(alloc::Heap& heap) {
  Walk walk(heap);
  walk.walk();
  Unreachable result;
  for_each_block(heap, [&](const std::byte* block) {
    if (walk.has_reached(block)) return;
    ++result.blocks;
    result.bytes += heap.usable_size(block);
  });
  return result;
}

}  // namespace perdure::tools
