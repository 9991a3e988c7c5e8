#ifndef PERDURE_ALLOC_SMALL_BLOCKS_H
#define PERDURE_ALLOC_SMALL_BLOCKS_H

#include <array>
#include <cstdint>
#include <mutex>
#include <span>

#include "alloc/reserved_array.h"
#include "alloc/size_classes.h"
#include "alloc/superblocks.h"
#include "alloc/thread_cache.h"

namespace perdure::alloc {

[[noreturn]] void stop_at_bad_free(const void* block);
[[noreturn]] void stop_at_double_free(const void* block);

/// Which blocks of a superblock are free, in volatile memory: nothing of the allocator lies in free blocks, so that
/// transactions doomed to abort may still read them, and only transactions write pool memory that users see.
struct alignas(64) BlockBitmap {
  std::uint32_t free;                                ///< number of bits set; valid once the heap is rebuilt
  std::uint32_t next;                                ///< in the list of its bin; 0: none (superblock 0 is the header)
  std::uint32_t previous;                            ///< 0: first
  bool listed;                                       ///< in the list: some blocks are free
  std::array<std::uint64_t, max_blocks / 64> words;  ///< 1: free
};

/// The blocks of all bins, except those in the caches of threads. Thread-safe; a lock for each bin.
class SmallBlocks {
 public:
  explicit SmallBlocks(Superblocks& superblocks);

  /// Fills `blocks` from the front. \returns how many; less than asked only when the pool is full.
  std::size_t take(Bin bin, std::span<void*> blocks) noexcept;
  /// Takes one that is free, and no other.
  void take_this(std::uint64_t superblock, std::uint32_t block) noexcept;
  /// Takes all that is free of one superblock. \returns false when the pool is full.
  bool claim(Bin bin, Claim& claim) noexcept;
  /// Takes back blocks of one bin.
  void give_back(Bin bin, std::span<void* const> blocks) noexcept;
  void give_back(Bin bin, Claim& claim) noexcept;

  /// For when the pool is full: bins of layouts below `layouts` keep no superblock any more that is wholly free.
  void release_empty(LayoutNumber layouts) noexcept;

  // The rebuilding after a clean close. Until told otherwise no block of a superblock is free.
  void make_all_free(std::uint64_t superblock) noexcept;
  /// Exactly the blocks whose bits are set in `words` are free.
  void set_free(std::uint64_t superblock, std::span<const std::uint64_t> words) noexcept;
  /// Ends it. Superblocks without a block in use become free.
  void finish_rebuild() noexcept;

  /// The rebuilding after a crash, of one superblock that is held until now: the blocks whose bits are set in the words
  /// that `free_word(i)` gives become free. Without a block in use it becomes free itself. \returns the free blocks.
  template <class FreeWord>
  std::uint64_t end_hold(std::uint64_t superblock, FreeWord&& free_word) noexcept {
    BlockBitmap& bitmap = bitmaps_[superblock];
    const std::lock_guard lock(list_of(superblock).mutex);
    make_all_free(superblock);
    for (std::size_t i = 0; i < bitmap.words.size(); ++i) bitmap.words[i] &= free_word(i);
    superblocks_.end_hold(superblock);
    return hand_out(superblock);
  }

  const BlockBitmap& bitmap(std::uint64_t superblock) const noexcept { return bitmaps_[superblock]; }
  /// Whether `block` of a superblock of `bin` is out of the bitmaps: in use, or in the cache of a thread.
  bool is_taken(Bin bin, std::uint64_t superblock, std::uint32_t block) const noexcept;

 private:
  // A line each: neighbours are locked by different threads. All zero at first, and so is an unlocked mutex: those of
  // bins that are never used take no memory.
  struct alignas(64) List {
    std::mutex mutex;
    std::uint32_t first;  ///< of the superblocks with free blocks, that which has waited longest; 0: none
    std::uint32_t last;
    std::uint32_t empty;  ///< the one of them that is wholly free; 0: none
  };

  List& list_of(Bin bin) const noexcept { return const_cast<List&>(lists_[static_cast<std::size_t>(bin)]); }
  /// Of a superblock for small blocks, held or not.
  List& list_of(std::uint64_t superblock) const noexcept {
    return list_of(bin_of(class_of(superblocks_.use(superblock)), superblocks_.layout(superblock)));
  }
  bool add_superblock(Bin bin) noexcept;
  void take_from(std::uint32_t superblock, Bin bin, std::span<void*> blocks, std::size_t& taken) noexcept;
  /// Of one superblock. \returns how many of `blocks`, from the front, are.
  std::size_t give_back_some(Bin bin, std::span<void* const> blocks) noexcept;
  /// So many bits have been set.
  void note_freed(List& list, Bin bin, std::uint32_t superblock, std::uint32_t count) noexcept;
  void release(List& list, std::uint32_t superblock) noexcept;
  /// What is set in the bitmap may be taken from now on. \returns the free blocks.
  std::uint64_t hand_out(std::uint64_t superblock) noexcept;
  void link(List& list, std::uint32_t superblock) noexcept;
  void unlink(List& list, std::uint32_t superblock) noexcept;

  Superblocks& superblocks_;
  ReservedArray<BlockBitmap> bitmaps_{superblocks_.mapping().max_superblocks()};
  ReservedArray<List> lists_{bin_count};
};

}  // namespace perdure::alloc

#endif
