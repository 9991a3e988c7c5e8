#ifndef PERDURE_TX_DEFERRED_FREES_H
#define PERDURE_TX_DEFERRED_FREES_H

#include <cstdint>
#include <span>

#include "tx/block_source.h"
#include "tx/waiting_blocks.h"

namespace perdure::tx {

/// The blocks that the calling thread's transactions freed and that may not be reused yet. Trivially destructible; the
/// list itself is made at the first free and handed on when the thread ends.
class DeferredFrees {
 public:
  constexpr DeferredFrees() = default;

  void add(std::span<void* const> blocks, std::uint64_t freed_at);

  /// Where blocks wait for records to be retired, which happens by the bytes of the records: blocks can be much larger.
  /// So once in so many bytes of blocks everything in their pool is retired that can be. Follows `add`.
  void bound_bytes(std::span<void* const> blocks, std::uint64_t freed_at);

  /// Frees what may be freed, once in a while: looking costs a pass over all threads.
  void collect_sometimes() {
    if (waiting_ != nullptr && waiting_->size() >= next_collection_) collect();
  }

  /// \returns one of the newest, if it is like what allocate_block would give, or null. Records may still be replayed
  /// over it, so a younger one must hold all that it will hold.
  /// \param is_alone  no transaction runs that began before this one; otherwise, all are looked at.
  void* reuse(std::size_t bytes, std::size_t alignment, alloc::BlockLayout* layout, bool is_alone) {
    if (bytes > most_reused_bytes || waiting_ == nullptr || waiting_->size() == 0) return nullptr;
    return take(bytes, alignment, layout, is_alone);
  }
  /// The transaction that has reused the block is rolled back.
  void put_back(void* block) { waiting_->put_back(block); }
  /// The same, but the block stays in use, and no record will hold what is in it: those that could be are retired.
  void keep(const void* block);
  /// Behind those: the transaction has ended.
  void keep_reused() { waiting_->keep_taken(); }

  /// Retires what can be, and frees what may then be freed: the pool is full. \returns whether there was anything.
  bool reclaim();

  /// The thread ends: what still waits is left to whoever comes by.
  void release();

 private:
  static constexpr std::size_t batch = 64;
  static constexpr std::size_t most_held_bytes = std::size_t{256} * 1024;
  static constexpr std::size_t most_reused_bytes = 64;  // to log more takes longer than to fetch another block

  /// Since the last time that everything was retired.
  struct Held {
    std::size_t bytes = 0;
    const void* block = nullptr;  // the last that was freed
    std::uint64_t freed_at = 0;
  };

  void* take(std::size_t bytes, std::size_t alignment, alloc::BlockLayout* layout, bool is_alone);
  void collect();
  void retire();

  WaitingBlocks* waiting_ = nullptr;
  std::size_t next_collection_ = batch;
  Held held_;
};

}  // namespace perdure::tx

#endif
