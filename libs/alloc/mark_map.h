#ifndef PERDURE_ALLOC_MARK_MAP_H
#define PERDURE_ALLOC_MARK_MAP_H

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "alloc/reserved_array.h"
#include "alloc/superblocks.h"

namespace perdure::alloc {

/// A block by the superblock it begins in and its number there; a large block has number 0.
struct BlockNumber {
  std::uint64_t superblock;
  std::uint32_t block;
};

/// What a mark knows of the superblocks that were in use when it began: what for, and of each block whether it was
/// reached, and whether it was freed since. Thread-safe.
class MarkMap {
 public:
  explicit MarkMap(const Superblocks& superblocks)
      : base_(reinterpret_cast<std::uintptr_t>(superblocks.mapping().base())),
        superblocks_(superblocks),
        count_(superblocks.count()),
        uses_(count_),
        blocks_(count_) {
    for (std::uint64_t number = pool::first_superblock; number < count_; ++number)
      uses_[number] = superblocks.use(number);
  }

  std::uint64_t count() const noexcept { return count_; }
  /// As it was when the mark began.
  Use use(std::uint64_t superblock) const noexcept { return uses_[superblock]; }

  /// The block that holds `address`, which may be any number, if it is one that the mark is about.
  std::optional<BlockNumber> find(std::uintptr_t address) const noexcept {
    const std::uintptr_t offset = address - base_;
    const std::uint64_t number = offset / pool::superblock_bytes;
    if (number >= count_) return std::nullopt;
    const Use use = uses_[number];
    if (is_small(use)) [[likely]] {
      const std::uint32_t block = block_at(class_of(use), offset % pool::superblock_bytes);
      if (block >= blocks_in_superblock(class_of(use))) return std::nullopt;
      return BlockNumber{number, block};
    }
    if (use == Use::large) return BlockNumber{number, 0};
    // As it was, while blocks are marked: extents that are freed meanwhile are kept. Who comes late, when the sweep has
    // given them to others, may find anything, but no block that the mark knows nothing of.
    if (use == Use::large_rest)
      if (const std::uint64_t first = superblocks_.extent(number); first < count_ && uses_[first] == Use::large)
        return BlockNumber{first, 0};
    return std::nullopt;
  }

  // Relaxed: who comes first is told by the bit alone, and what follows from it is ordered by MarkWork's lock.
  bool is_reached(BlockNumber of) const noexcept {
    return (reached(of).load(std::memory_order_relaxed) & bit(of)) != 0;
  }
  /// \returns whether it was not reached so far.
  bool reach(BlockNumber of) noexcept {
    if (is_reached(of)) return false;
    return (reached(of).fetch_or(bit(of), std::memory_order_relaxed) & bit(of)) == 0;
  }
  bool is_freed(BlockNumber of) const noexcept { return (freed(of).load(std::memory_order_relaxed) & bit(of)) != 0; }
  /// \returns whether it was not freed so far.
  bool free(BlockNumber of) noexcept { return (freed(of).fetch_or(bit(of), std::memory_order_relaxed) & bit(of)) == 0; }

  /// Word `i` of the blocks that are free: not reached, or freed since. Bits behind the last block are set.
  std::uint64_t free_word(std::uint64_t superblock, std::size_t i) const noexcept {
    const Blocks& blocks = blocks_[superblock];
    return ~blocks.reached[i].load(std::memory_order_relaxed) | blocks.freed[i].load(std::memory_order_relaxed);
  }

  /// Gives the memory back; who still asks finds nothing reached.
  void discard() noexcept { blocks_.discard(); }

 private:
  using Words = std::array<std::atomic<std::uint64_t>, max_blocks / 64>;
  struct alignas(64) Blocks {
    Words reached;
    Words freed;
  };

  static std::uint64_t bit(BlockNumber of) noexcept { return std::uint64_t{1} << (of.block % 64); }
  std::atomic<std::uint64_t>& reached(BlockNumber of) const noexcept {
    return const_cast<Blocks&>(blocks_[of.superblock]).reached[of.block / 64];
  }
  std::atomic<std::uint64_t>& freed(BlockNumber of) const noexcept {
    return const_cast<Blocks&>(blocks_[of.superblock]).freed[of.block / 64];
  }

  const std::uintptr_t base_;
  const Superblocks& superblocks_;
  const std::uint64_t count_;
  ReservedArray<Use> uses_;
  ReservedArray<Blocks> blocks_;
};

}  // namespace perdure::alloc

#endif
