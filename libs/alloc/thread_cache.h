#ifndef PERDURE_ALLOC_THREAD_CACHE_H
#define PERDURE_ALLOC_THREAD_CACHE_H

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <span>

#include "alloc/bins.h"
#include "pool/window.h"

namespace perdure::alloc {

/// What was free of one superblock when a thread that allocates much took all of it: its blocks share their lines with
/// few blocks of other threads, and are taken without a lock.
struct Claim {
  std::uint32_t superblock = 0;                        ///< 0: none
  std::uint32_t first = 0;                             ///< no bit is set in the words before this one
  std::byte* base = nullptr;                           ///< of the superblock
  std::array<std::uint64_t, max_blocks / 64> words{};  ///< 1: free

  /// Of a block of the superblock.
  bool contains(std::uint32_t block) const noexcept { return (words[block / 64] >> block % 64 & 1) != 0; }

  /// Moves blocks of `size` bytes from here to `blocks`, from its front. \returns how many; all are gone when there are
  /// less than asked for.
  std::size_t take(std::size_t size, std::span<void*> blocks) noexcept {
    std::size_t taken = 0;
    for (; first < words.size() && taken < blocks.size(); first += words[first] == 0)
      for (std::uint64_t& word = words[first]; word != 0 && taken < blocks.size(); word &= word - 1)
        blocks[taken++] = base + (first * 64 + static_cast<std::size_t>(std::countr_zero(word))) * size;
    if (taken < blocks.size()) superblock = 0;
    return taken;
  }
};

/// Free blocks of one bin that one thread keeps at hand. Their addresses lie in volatile memory, never in the blocks.
class BlockStack {
 public:
  /// 32 KiB of each class, but neither so few that every other free takes a lock nor so many that memory idles.
  static constexpr std::uint32_t capacity_for(std::size_t size_class) {
    return std::clamp<std::uint32_t>(32768 / class_bytes[size_class], 4, max_capacity);
  }

  BlockStack(Bin bin, BlockStack* next) : capacity_(capacity_for(class_of(bin))), bin_(bin), next_(next) {}

  Bin bin() const noexcept { return bin_; }
  BlockStack* next() const noexcept { return next_; }  ///< of the same thread
  std::uint32_t count() const noexcept { return count_; }
  std::uint32_t capacity() const noexcept { return capacity_; }
  bool is_full() const noexcept { return count_ == capacity_; }

  void* pop() noexcept { return blocks_[--count_]; }
  void push(void* block) noexcept { blocks_[count_++] = block; }

  /// What the thread has claimed besides.
  Claim& claim() noexcept { return claim_; }
  const Claim& claim() const noexcept { return claim_; }
  /// \returns how many there are now that may be popped.
  std::size_t refill_from_claim() noexcept {
    if (claim_.superblock != 0) added(claim_.take(class_bytes[class_of(bin_)], room().first(batch())));
    return count_;
  }
  /// Whether the thread has come for so many bytes that it will come again.
  bool may_claim() const noexcept { return refills_ * batch() * class_bytes[class_of(bin_)] >= least_before_claim; }
  void note_refill() noexcept { ++refills_; }

  /// How many blocks are fetched at once. Half of the room: a thread that frees next should not have to give blocks
  /// back at once.
  std::uint32_t batch() const noexcept { return capacity_ / 2; }

  /// The unused places, to be filled from the front, and a note of how many were.
  std::span<void*> room() noexcept { return std::span(blocks_).subspan(count_, capacity_ - count_); }
  void added(std::size_t blocks) noexcept { count_ += static_cast<std::uint32_t>(blocks); }

  /// The oldest `blocks` blocks, least likely in the processor's cache; `drop_oldest` removes them.
  std::span<void* const> oldest(std::uint32_t blocks) const noexcept { return std::span(blocks_).first(blocks); }
  void drop_oldest(std::uint32_t blocks) noexcept {
    std::copy(blocks_.begin() + blocks, blocks_.begin() + count_, blocks_.begin());
    count_ -= blocks;
  }

 private:
  static constexpr std::uint32_t max_capacity = 128;
  static constexpr std::size_t least_before_claim = std::size_t{256} * 1024;

  std::uint32_t count_ = 0;
  const std::uint32_t capacity_;
  const Bin bin_;
  BlockStack* const next_;
  std::size_t refills_ = 0;
  std::array<void*, max_capacity> blocks_;
  Claim claim_;
};

/// The stacks of one thread and one pool, each made when it is first used. Belongs to the heap, is used by its thread
/// without synchronisation.
class ThreadCache {
 public:
  /// \returns null when there is no memory.
  static ThreadCache* make() noexcept {
    void* const memory = std::calloc(1, bytes);
    return memory == nullptr ? nullptr : new (memory) ThreadCache;
  }
  static void destroy(ThreadCache* cache) noexcept {
    while (BlockStack* const stack = cache->first_) {
      cache->first_ = stack->next();
      delete stack;
    }
    std::free(cache);
  }
  ThreadCache(const ThreadCache&) = delete;
  ThreadCache& operator=(const ThreadCache&) = delete;

  /// Null when there is none yet.
  BlockStack* stack(Bin bin) const noexcept { return stacks()[static_cast<std::size_t>(bin)]; }
  /// One that was not there. Null when there is no memory.
  BlockStack* add_stack(Bin bin) noexcept {
    auto* const stack = new (std::nothrow) BlockStack(bin, first_);
    if (stack != nullptr) first_ = stacks()[static_cast<std::size_t>(bin)] = stack;
    return stack;
  }
  BlockStack* first_stack() const noexcept { return first_; }

  ThreadCache* next = nullptr;  ///< in the heap's list

 private:
  ThreadCache() = default;

  /// By bin, behind the cache, in memory that is zero at first.
  BlockStack** stacks() const noexcept {
    return reinterpret_cast<BlockStack**>(reinterpret_cast<std::uintptr_t>(this) + sizeof(ThreadCache));
  }
  static const std::size_t bytes;

  BlockStack* first_ = nullptr;
};

inline constexpr std::size_t ThreadCache::bytes = sizeof(ThreadCache) + bin_count * sizeof(BlockStack*);

namespace detail {
/// Which cache the thread has for the pool in a slot. Heaps are numbered and no number is used twice, so a reference
/// to the cache of a heap that was closed is recognised without following it.
struct CacheReference {
  std::uint64_t heap_number;
  ThreadCache* cache;
};
using CacheReferences = std::array<CacheReference, pool::slot_count>;
inline constexpr CacheReferences no_caches{};
/// On the heap once the thread has a cache: a library that is loaded while the program runs has little room for
/// thread-local memory.
inline thread_local constinit const CacheReferences* caches_of_thread = &no_caches;
}  // namespace detail

}  // namespace perdure::alloc

#endif
