#ifndef PERDURE_ALLOC_LAYOUT_TABLE_H
#define PERDURE_ALLOC_LAYOUT_TABLE_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "abi/block_layout.h"
#include "alloc/bins.h"
#include "alloc/superblocks.h"

namespace perdure::alloc {

/// The layouts of the blocks in a pool. Descriptors name them by their numbers; they are never changed or removed. They
/// lie in superblocks of kind layouts:
///
///   layouts := entry*              one behind the other from the start; the first whose check does not hold ends them
///   entry   := check (8 bytes)  BlockLayout, with its number in place of the cache  LayoutWords*
///
/// An entry is durable before a descriptor names its number. So a descriptor that names one which is not there is
/// damage, and an entry that is cut short has no user.
///
/// What is in the file is checked and copied when the pool is opened, and not looked at again. Thread-safe.
class LayoutTable {
 public:
  /// \throws PoolError (Kind::damaged) when a descriptor names a layout that is not there, or damaged.
  explicit LayoutTable(Superblocks& superblocks);
  LayoutTable(const LayoutTable&) = delete;
  LayoutTable& operator=(const LayoutTable&) = delete;
  ~LayoutTable();

  /// The number of a layout with these contents; one that is new gets a number, durably. `unknown_layout` if the pool
  /// is volatile, has no room for it, or has too many, or if the layout is no sound one.
  LayoutNumber number_of(const BlockLayout& layout) noexcept;

  /// What has that number; null if it is unknown. Lives as long as the heap. Not const, since it can be what the next
  /// allocation is told (alloc/next_layout.h).
  BlockLayout* get(LayoutNumber number) const noexcept {
    // Acquire pairs with the release in `note`: what is found is complete.
    return layouts_[number].load(std::memory_order_acquire);
  }

  /// Layouts have numbers below.
  LayoutNumber count() noexcept {
    const std::lock_guard lock(mutex_);
    return next_;
  }

  /// Makes durable what a process that was killed may have stored and not flushed. After that, an entry that was found
  /// may be named.
  void settle_layouts() const noexcept;

 private:
  struct Entry;

  void read(std::byte* begin);
  void free_copies() noexcept;
  const Entry* entry_at(const std::byte* place, const std::byte* end) const noexcept;
  std::uint64_t check_of(const Entry& entry) const noexcept;
  void require_all_named();
  std::size_t slot_for(const BlockLayout& layout) const noexcept;
  LayoutNumber append(const BlockLayout& layout, std::size_t slot) noexcept;
  bool make_room(std::size_t bytes) noexcept;
  bool note(const BlockLayout& layout, LayoutNumber number, std::size_t slot) noexcept;

  Superblocks& superblocks_;
  std::array<std::atomic<BlockLayout*>, layout_count> layouts_{};  // copies, by number

  std::mutex mutex_;                                          // guards what follows
  std::array<LayoutNumber, 2 * layout_count> by_contents_{};  // by hash; the next free place is taken
  LayoutNumber next_ = first_in_table;
  std::byte* place_ = nullptr;  // of the next entry
  std::byte* end_ = nullptr;    // of its superblock
  bool is_rest_zero_ = false;   // from there on
};

}  // namespace perdure::alloc

#endif
