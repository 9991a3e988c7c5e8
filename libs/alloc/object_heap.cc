#include "alloc/object_heap.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory_resource>
#include <mutex>
#include <new>
#include <unordered_map>

#include "alloc/reserved_array.h"
#include "persist/sanitizers.h"
#include "sched/hold_during_fork.h"

/// LeakSanitizer's, if the program has it: what objects lead to is in use.
extern "C" [[gnu::weak]] void __lsan_register_root_region(const void* begin, std::size_t bytes);

namespace perdure::alloc {
namespace {

constexpr std::size_t page_bytes = 4096;

constexpr std::size_t in_pages(std::size_t bytes) { return (bytes + page_bytes - 1) / page_bytes * page_bytes; }

/// Pages of the range.
class Pages : public std::pmr::memory_resource {
 public:
  Pages() : range_(detail::object_range_bytes) {}

  std::uintptr_t begin() { return reinterpret_cast<std::uintptr_t>(&range_[0]); }

 private:
  using Extents = std::map<std::size_t, std::size_t>;  // from where they begin to how long they are; none side by side

  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (alignment > page_bytes) throw std::bad_alloc();
    const std::size_t wanted = in_pages(bytes);
    for (auto extent = free_.begin(); extent != free_.end(); ++extent)
      if (extent->second >= wanted) return take(extent, wanted);
    if (wanted > detail::object_range_bytes - end_) throw std::bad_alloc();
    const std::size_t place = end_;
    end_ += wanted;
    if (__lsan_register_root_region != nullptr) __lsan_register_root_region(&range_[place], wanted);
    return &range_[place];
  }

  void* take(Extents::iterator extent, std::size_t bytes) {
    const auto [place, length] = *extent;
    if (length > bytes) free_.emplace(place + bytes, length - bytes);
    free_.erase(extent);
    return &range_[place];
  }

  void do_deallocate(void* memory, std::size_t bytes, std::size_t) override {
    std::size_t place = reinterpret_cast<std::uintptr_t>(memory) - begin();
    std::size_t length = in_pages(bytes);
    madvise(memory, length, MADV_DONTNEED);
    auto next = free_.lower_bound(place);
    if (next != free_.end() && next->first == place + length) {
      length += next->second;
      next = free_.erase(next);
    }
    if (next != free_.begin())
      if (auto& [before, bytes_before] = *std::prev(next); before + bytes_before == place) {
        bytes_before += length;
        return;
      }
    free_.emplace(place, length);
  }

  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  ReservedArray<std::byte> range_;
  std::size_t end_ = 0;
  Extents free_;
};

class ObjectHeap {
 public:
  ObjectHeap() { detail::object_range_begin.store(pages_.begin(), std::memory_order_relaxed); }

  void* allocate(std::size_t bytes, std::size_t alignment, const BlockLayout* layout) {
    void* const memory = blocks_.allocate(block_bytes(bytes, alignment), alignment);
    try {
      auto* const begin = static_cast<std::byte*>(memory);
      objects_.emplace(begin, VolatileObject{begin, bytes, alignment, layout == nullptr ? nullptr : &kept(*layout)});
    } catch (...) {
      blocks_.deallocate(memory, block_bytes(bytes, alignment), alignment);
      throw;
    }
    return memory;
  }

  bool free(void* object) {
    const auto found = objects_.find(static_cast<std::byte*>(object));
    if (found == objects_.end()) return false;
    const auto [begin, bytes, alignment, layout] = found->second;
    blocks_.deallocate(object, block_bytes(bytes, alignment), alignment);
    objects_.erase(found);
    return true;
  }

  std::optional<VolatileObject> around(const void* address) const {
    auto next = objects_.upper_bound(static_cast<std::byte*>(const_cast<void*>(address)));
    if (next == objects_.begin()) return std::nullopt;
    const VolatileObject& object = (--next)->second;
    if (static_cast<const std::byte*>(address) > object.begin + object.bytes) return std::nullopt;
    return object;
  }

 private:
  /// One more at least, so that the end of an object is not the beginning of another. A multiple of the alignment,
  /// since the pools of libstdc++ align a block of 17 bytes like one of 24, whatever they are asked for.
  static std::size_t block_bytes(std::size_t bytes, std::size_t alignment) {
    return (bytes + alignment) & ~(alignment - 1);
  }

  /// A layout like it that stays: its own file may be unloaded before the object is gone.
  BlockLayout& kept(const BlockLayout& layout) {
    const std::uint64_t hash = hash_of(layout);
    const auto [begin, end] = layouts_.equal_range(hash);
    for (auto like = begin; like != end; ++like)
      if (*like->second == layout) return *like->second;
    const std::size_t bytes = sizeof(BlockLayout) + layout.words().size_bytes();
    auto* const copy = static_cast<BlockLayout*>(std::malloc(bytes));
    if (copy == nullptr) throw std::bad_alloc();
    std::memcpy(static_cast<void*>(copy), &layout, bytes);
    copy->cache = 0;
    layouts_.emplace(hash, copy);
    return *copy;
  }

  Pages pages_;
  std::pmr::unsynchronized_pool_resource blocks_{&pages_};
  std::map<std::byte*, VolatileObject> objects_;                  // by their beginnings
  std::unordered_multimap<std::uint64_t, BlockLayout*> layouts_;  // by hash
};

std::mutex& object_mutex() {
  static std::mutex mutex;
  return mutex;
}

/// Never destroyed: objects are deleted until the process ends. Null when there is no range.
ObjectHeap* object_heap() noexcept {
  static ObjectHeap* const heap = []() -> ObjectHeap* {
    sched::hold_during_fork<object_mutex>();
    try {
      return new ObjectHeap;
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }();
  return heap;
}

}  // namespace

void* allocate_object(std::size_t bytes, std::size_t alignment, const BlockLayout* layout) noexcept {
#ifdef PERDURE_THREAD_SANITIZER
  return nullptr;  // its operators delete cannot be replaced (entry/operators.cc)
#endif
  ObjectHeap* const heap = object_heap();
  if (heap == nullptr) return nullptr;
  try {
    std::unique_lock lock(object_mutex());
    void* const object = heap->allocate(bytes, alignment, layout);
    lock.unlock();
    return std::memset(object, 0, bytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void free_object(void* object) noexcept {
  const std::lock_guard lock(object_mutex());
  if (object_heap()->free(object)) return;
  std::fprintf(stderr, "perdure: %p is deleted, but no object begins there, or it was deleted before\n", object);
  std::abort();
}

std::optional<VolatileObject> object_around(const void* address) noexcept {
  if (!in_object_range(address)) return std::nullopt;
  const std::lock_guard lock(object_mutex());
  return object_heap()->around(address);
}

}  // namespace perdure::alloc
