#ifndef PERDURE_TX_MEMORY_MANAGER_H
#define PERDURE_TX_MEMORY_MANAGER_H

#include <cstddef>
#include <cstdint>

#include "log/growing_array.h"
#include "stats/counters.h"
#include "tx/algorithm.h"
#include "tx/block_source.h"
#include "tx/captured.h"
#include "tx/deferred_frees.h"

namespace perdure::tx {

/// Allocation in transactions: a block allocated by a transaction that aborts was never allocated; a free takes effect
/// at commit, and the block is reused when no running transaction and no log can touch it any more.
template <class A>
class MemoryManager {
 public:
  constexpr MemoryManager() = default;

  /// From the current pool, or the heap when none is open. \returns null when there is no room.
  void* allocate(std::size_t bytes, std::size_t alignment) {
    void* const block = allocate_block(bytes, alignment);
    if (block == nullptr) return nullptr;
    captured_.add(block, bytes);
    stats::counters.allocations.add(1);
    return block;
  }

  void free(void* block) {
    if (block == nullptr) return;
    freed_.push_back(block);
    stats::counters.frees.add(1);
  }

  const Captured& captured() const { return captured_; }
  bool has_changes() const { return !captured_.empty() || !freed_.empty(); }

  /// The transaction has committed, and this thread's slot says so.
  void commit(std::uint64_t commit_timestamp) {
    captured_.clear();
    if (freed_.empty()) [[likely]]
      return;
    for (void* block : freed_) {
      if constexpr (A::traits.has_doomed_readers)
        deferred_frees_.add(block, commit_timestamp);
      else
        free_block(block);
    }
    freed_.clear();
    if constexpr (A::traits.has_doomed_readers) deferred_frees_.collect_sometimes();
  }

  /// Writes have been undone, so nothing points to the blocks that were allocated.
  void roll_back() {
    captured_.for_each([&](void* block) {
      // With updates in place others may have seen a pointer to the block: it waits like a freed one.
      if constexpr (A::traits.writes_in_place && A::traits.has_doomed_readers)
        deferred_frees_.add_now(block);
      else
        free_block(block);
    });
    captured_.clear();
    freed_.clear();
  }

  void release() {
    captured_.release();
    freed_.release();
    deferred_frees_.release();
  }

 private:
  Captured captured_;
  log::GrowingArray<void*> freed_;
  DeferredFrees deferred_frees_;
};

}  // namespace perdure::tx

#endif
