#ifndef PERDURE_ALLOC_HEAP_H
#define PERDURE_ALLOC_HEAP_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "abi/block_layout.h"
#include "alloc/code_table.h"
#include "alloc/layout_table.h"
#include "alloc/mark.h"
#include "alloc/size_classes.h"
#include "alloc/small_blocks.h"
#include "alloc/superblocks.h"
#include "alloc/thread_cache.h"
#include "pool/mapping.h"
#include "pool/window.h"

namespace perdure::alloc {

/// The allocator of one pool. Knows no transactions: what it does is neither undone nor deferred; the transaction layer
/// allocates and frees through it at the right moments.
///
/// A crash needs no care: which blocks are in use is not durable, but found again by the mark phase. What is durable,
/// before a block is handed out, is what its superblock is used for.
class Heap {
 public:
  /// \throws PoolError (Kind::damaged). Not usable before it is rebuilt.
  explicit Heap(pool::Mapping& mapping);
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;
  ~Heap();

  /// At least `bytes` bytes, aligned to at least `alignment` (a power of two up to 64 KiB) and to the granularity; the
  /// contents are undefined. A block shares no chunk of a log with another.
  /// \param layout  of what the block will hold; null if that is unknown.
  /// \returns nullptr when the pool is full: its limit or the disk is reached.
  void* allocate(std::size_t bytes, std::size_t alignment = 16, BlockLayout* layout = nullptr) noexcept {
    if (const Bin bin = bin_for(bytes, alignment, layout); bin != Bin::none) [[likely]]
      return allocate_small(bin);
    return allocate_unusual(bytes, alignment, layout == nullptr ? unknown_layout : number_of(*layout));
  }

  /// Frees a block at once: nobody may still read it or replay a log onto it. Needs no space. Stops the program when
  /// `block` is not a block.
  /// \returns where the calling thread keeps it, and may keep others of its superblock; null if nowhere.
  BlockStack* deallocate(void* block) noexcept {
    const Bin bin = superblocks_.bin(superblocks_.number_of(block));
    if (bin == Bin::none) [[unlikely]]
      return deallocate_unusual(block);
    BlockStack* stack = thread_cache().stack(bin);
    if (stack == nullptr || stack->is_full()) [[unlikely]]
      stack = &stack_with_room(bin);
    stack->push(block);
    return stack;
  }

  /// The bin from which `allocate` would take the block; none if it is an unusual one.
  Bin bin_for(std::size_t bytes, std::size_t alignment, BlockLayout* layout) noexcept {
    if (bytes > max_small_bytes || alignment > min_block_bytes) return Bin::none;
    return bin_of(class_for(in_granules(bytes)), layout == nullptr ? unknown_layout : number_of(*layout));
  }
  /// The bin that a block in use belongs to; none if it is an unusual one, or a mark is not done with its superblock.
  Bin bin_around(const void* block) const noexcept { return superblocks_.bin(superblocks_.number_of(block)); }

  /// What a block holds, to be given to others like it; null if that is unknown.
  BlockLayout* layout_of(const void* block) const noexcept;

  /// The bytes that may be used of a block.
  std::size_t usable_size(const void* block) const noexcept;

  /// Whether a block begins at `address` that is in use or kept at hand by a thread.
  bool is_block(const void* address) const noexcept;

  /// A superblock for a log, or nullptr when the pool is full. One that is used for the first time is zero in its first
  /// 64 bytes, durably before recovery can find it as a log; another one is as it was released.
  void* allocate_log_segment() noexcept;
  /// Keeps a segment, which must be durably inactive, for the next log; or for anything else once the pool is full.
  void release_log_segment(void* segment);

  /// Calls `function(void*)` with every log segment, idle ones included.
  template <class Function>
  void for_each_log_segment(Function&& function) {
    for (std::uint64_t number = pool::first_superblock; number < superblocks_.count(); ++number)
      if (superblocks_.use(number) == Use::log) function(static_cast<void*>(superblocks_.address(number)));
  }

  /// The largest block that a pool can hold.
  static constexpr std::size_t max_bytes = pool::data_bytes;

  /// Tells this heap from all others that this process ever had, also from one at the same address.
  std::uint64_t number() const noexcept { return number_; }

  /// Nothing is allocated here any more, and nothing reused: the heap is a forked child's, of a pool in volatile
  /// memory.
  void retire() noexcept { is_retired_ = true; }
  bool is_retired() const noexcept { return is_retired_; }

  pool::Mapping& mapping() const noexcept { return superblocks_.mapping(); }
  Superblocks& superblocks() noexcept { return superblocks_; }
  SmallBlocks& small_blocks() noexcept { return small_blocks_; }
  LayoutTable& layouts() noexcept { return layouts_; }
  CodeTable& codes() noexcept { return codes_; }
  const CodeTable& codes() const noexcept { return codes_; }

  /// Ends the rebuilding after a clean close (alloc/snapshot.h), or of a new pool.
  void finish_rebuild();
  /// Begins the rebuilding after a crash: the heap may be used when Superblocks::finish_rebuild has been called too.
  /// What it lacks until the mark is over are the blocks that are free in superblocks in use: a full pool waits for it.
  /// \param is_exact  words that cannot be pointers, as far as layouts say, keep nothing.
  Mark& begin_mark(Range roots, bool is_exact = false);
  /// The last one, if there was one.
  Mark* mark() const noexcept { return mark_.get(); }

  /// Where no lock is held: gives disk space back if that is worth while.
  void give_back(GiveBack how_much) noexcept {
    if (superblocks_.has_surplus()) [[unlikely]]
      superblocks_.give_back(how_much);
  }

  /// Takes back all blocks from the caches of all threads, none of which may be using the heap.
  void empty_caches() noexcept;
  /// The same, and no thread uses it any more.
  void collect_caches() noexcept;
  /// Bins keep no superblock any more that is wholly free.
  void release_empty() noexcept { small_blocks_.release_empty(layouts_.count()); }

 private:
  // Rounds up to what the pool is aligned to; the smallest classes are finer than a granularity of 64.
  std::size_t in_granules(std::size_t bytes) const noexcept { return (bytes + granule_mask_) & ~granule_mask_; }

  ThreadCache& thread_cache() noexcept {
    const auto& reference = (*detail::caches_of_thread)[slot_];
    if (reference.heap_number == number_) [[likely]]
      return *reference.cache;
    return add_thread_cache();
  }
  // The number of a layout here, which is found in the layout itself, when this heap was the last that used it.
  LayoutNumber number_of(BlockLayout& layout) noexcept {
    // Relaxed: the entry of the table was durable before the number was stored, and is not looked at.
    const std::uint64_t word = std::atomic_ref(layout.cache).load(std::memory_order_relaxed);
    if (word >> 16 == number_) [[likely]]
      return static_cast<LayoutNumber>(word);
    return look_up(layout);
  }
  LayoutNumber look_up(BlockLayout& layout) noexcept;

  void* allocate_small(Bin bin) noexcept {
    BlockStack* const stack = thread_cache().stack(bin);
    if (stack != nullptr && stack->count() != 0) [[likely]]
      return stack->pop();
    return refill(bin);
  }

  ThreadCache& add_thread_cache() noexcept;
  static void give_back_caches_of_thread() noexcept;
  void remove_thread_cache(ThreadCache* cache) noexcept;
  void empty(ThreadCache& cache) noexcept;

  BlockStack& stack_of(Bin bin) noexcept;
  BlockStack& stack_with_room(Bin bin) noexcept;
  void* refill(Bin bin) noexcept;
  /// \returns false when there is none.
  bool fetch(Bin bin, BlockStack& stack) noexcept;
  void* allocate_unusual(std::size_t bytes, std::size_t alignment, LayoutNumber layout) noexcept;
  void* allocate_large(std::size_t bytes, LayoutNumber layout) noexcept;
  BlockStack* deallocate_unusual(void* block) noexcept;
  /// Frees whole superblocks that this thread or a bin keeps, for when the pool is full.
  void free_what_is_kept() noexcept;
  /// What `attempt` finds. While a mark works, a pool is not full before that is over: waits for it, and tries again.
  template <class Attempt>
  auto find_room(Attempt&& attempt) noexcept;

  static constexpr std::uint64_t least_superblocks_to_claim = 256;  // 16 MiB

  const std::uint64_t number_;  // of the heap among all that this process ever had, from 1
  const std::size_t slot_;
  const std::size_t granule_mask_;
  ThreadCache* caches_ = nullptr;  // of all threads; guarded by the mutex in heap.cc
  Superblocks superblocks_;
  SmallBlocks small_blocks_;
  LayoutTable layouts_;
  CodeTable codes_;
  bool is_retired_ = false;
  std::unique_ptr<Mark> mark_;  // set before the heap is registered; stays, for who comes late
};

namespace detail {
inline constinit std::array<std::atomic<Heap*>, pool::slot_count> open_heaps{};
inline constinit std::atomic<Heap*> first_heap{nullptr};
inline constinit thread_local Heap* chosen_heap = nullptr;
}  // namespace detail

/// Makes the heap known to the two functions below, and forgets it. The first one registered that is still there is the
/// current one, but none of a pool that is open for reading.
void register_heap(Heap& heap);
void unregister_heap(Heap& heap);

/// Where transactions of this thread allocate; nullptr when no pool is open.
inline Heap* current_heap() noexcept {
  if (Heap* const chosen = detail::chosen_heap) return chosen;
  // Acquire pairs with the release in register_heap: the heap is seen complete.
  return detail::first_heap.load(std::memory_order_acquire);
}

/// The heap of the pool that `address`, which is in the window, lies in; nullptr when none is open there.
inline Heap* heap_of(const void* address) noexcept {
  return detail::open_heaps[pool::slot_of(address)].load(std::memory_order_acquire);  // as above
}

}  // namespace perdure::alloc

#endif
