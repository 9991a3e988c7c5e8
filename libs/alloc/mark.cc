#include "alloc/mark.h"

#include <atomic>
#include <vector>

#include "persist/fault.h"

namespace perdure::alloc {
namespace {

/// A block that is marked and whose words are still to be visited.
using Block = std::span<const std::byte>;

/// Marks are bits set atomically, and a marker owns its worklist: several can share the work.
class Marker {
 public:
  Marker(Heap& heap, ReservedArray<std::atomic<bool>>& reached_runs)
      : superblocks_(heap.superblocks()), small_blocks_(heap.small_blocks()), reached_runs_(reached_runs) {}

  void mark_from(Block roots) {
    visit_words(roots);
    // An explicit list: a linked list in the pool may be as long as memory is large, the stack is not.
    while (!worklist_.empty()) {
      const Block block = worklist_.back();
      worklist_.pop_back();
      visit_words(block);
    }
  }

 private:
  void visit_words(Block block) {
    const auto* const words = reinterpret_cast<const std::uintptr_t*>(block.data());
    for (std::size_t i = 0; i < block.size() / sizeof(std::uintptr_t); ++i) visit(words[i]);
  }

  void visit(std::uintptr_t word) {
    const std::uintptr_t offset = word - reinterpret_cast<std::uintptr_t>(superblocks_.mapping().base());
    const std::uint64_t number = offset / pool::superblock_bytes;
    if (number >= superblocks_.count()) return;
    const Use use = superblocks_.use(number);
    if (is_small(use))
      visit_small(number, class_of(use), offset % pool::superblock_bytes);
    else if (use == Use::large)
      visit_large(number);
    else if (use == Use::large_rest)
      visit_large(superblocks_.run(number));
  }

  void visit_small(std::uint64_t number, std::size_t size_class, std::size_t offset) {
    const std::uint32_t block = block_at(size_class, offset);
    if (block >= blocks_in_superblock(size_class) || !small_blocks_.mark(number, block)) return;
    if (persist::is_seeded(persist::Fault::leak_neighbours) && block + 1 < blocks_in_superblock(size_class))
      small_blocks_.mark(number, block + 1);
    const std::size_t bytes = class_bytes[size_class];
    worklist_.emplace_back(superblocks_.address(number) + block * bytes, bytes);
  }

  void visit_large(std::uint64_t first) {
    // Relaxed: as for the bits of small blocks.
    if (reached_runs_[first].exchange(true, std::memory_order_relaxed)) return;
    worklist_.emplace_back(superblocks_.address(first), superblocks_.run(first) * pool::superblock_bytes);
  }

  Superblocks& superblocks_;
  SmallBlocks& small_blocks_;
  ReservedArray<std::atomic<bool>>& reached_runs_;
  std::vector<Block> worklist_;
};

std::uint64_t free_unreached_runs(Superblocks& superblocks, const ReservedArray<std::atomic<bool>>& reached) {
  std::uint64_t freed = 0;
  for (std::uint64_t number = pool::first_superblock; number < superblocks.count(); ++number) {
    if (superblocks.use(number) != Use::large || reached[number].load(std::memory_order_relaxed)) continue;
    superblocks.release_large(number);
    ++freed;
  }
  return freed;
}

}  // namespace

std::uint64_t mark(Heap& heap, std::span<const std::byte> roots) {
  heap.small_blocks().unmark_all();
  ReservedArray<std::atomic<bool>> reached_runs(pool::max_superblocks);
  Marker(heap, reached_runs).mark_from(roots);
  if (persist::is_seeded(persist::Fault::keep_unreached)) return 0;
  return free_unreached_runs(heap.superblocks(), reached_runs);
}

}  // namespace perdure::alloc
