#ifndef PERDURE_ALLOC_THREAD_CACHE_H
#define PERDURE_ALLOC_THREAD_CACHE_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "alloc/size_classes.h"
#include "pool/window.h"

namespace perdure::alloc {

class Heap;

namespace detail {
/// 32 KiB of each class, but neither so few that every other free takes a lock nor so many that memory idles.
constexpr std::uint32_t bin_capacity(std::size_t size_class) {
  return std::clamp<std::uint32_t>(32768 / class_bytes[size_class], 4, 128);
}
inline constexpr auto bin_offsets = [] {
  std::array<std::uint32_t, class_count + 1> offsets{};
  for (std::size_t i = 0; i < class_count; ++i) offsets[i + 1] = offsets[i] + bin_capacity(i);
  return offsets;
}();
}  // namespace detail

/// Free blocks of one pool that one thread keeps at hand: a stack for each size class. Their addresses lie in volatile
/// memory, never in the blocks. Belongs to the heap, is used by its thread without synchronisation.
class ThreadCache {
 public:
  static constexpr std::uint32_t capacity(std::size_t size_class) { return detail::bin_capacity(size_class); }

  std::uint32_t count(std::size_t size_class) const noexcept { return counts_[size_class]; }
  void* pop(std::size_t size_class) noexcept { return bin(size_class)[--counts_[size_class]]; }
  void push(std::size_t size_class, void* block) noexcept { bin(size_class)[counts_[size_class]++] = block; }

  /// The unused places of a bin, to be filled from the front, and a note of how many were.
  std::span<void*> room(std::size_t size_class) noexcept {
    return {bin(size_class) + counts_[size_class], capacity(size_class) - counts_[size_class]};
  }
  void added(std::size_t size_class, std::size_t blocks) noexcept {
    counts_[size_class] += static_cast<std::uint32_t>(blocks);
  }

  /// The oldest `blocks` blocks of a bin, least likely in the processor's cache; `drop_oldest` removes them.
  std::span<void* const> oldest(std::size_t size_class, std::uint32_t blocks) noexcept {
    return {bin(size_class), blocks};
  }
  void drop_oldest(std::size_t size_class, std::uint32_t blocks) noexcept {
    void** const first = bin(size_class);
    std::copy(first + blocks, first + counts_[size_class], first);
    counts_[size_class] -= blocks;
  }

  ThreadCache* next = nullptr;  ///< in the heap's list

 private:
  void** bin(std::size_t size_class) noexcept { return blocks_.data() + detail::bin_offsets[size_class]; }

  std::array<std::uint32_t, class_count> counts_{};
  std::array<void*, detail::bin_offsets.back()> blocks_;
};

namespace detail {
/// Which cache the thread has for the pool in a slot. Heaps are numbered and no number is used twice, so a reference
/// to the cache of a heap that was closed is recognised without following it.
struct CacheReference {
  std::uint64_t heap_number;
  ThreadCache* cache;
};
inline thread_local constinit std::array<CacheReference, pool::slot_count> caches_of_thread{};
}  // namespace detail

}  // namespace perdure::alloc

#endif
