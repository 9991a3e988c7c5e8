#ifndef PERDURE_TX_DEFERRED_FREES_H
#define PERDURE_TX_DEFERRED_FREES_H

#include <cstdint>

#include "sched/limbo_list.h"

namespace perdure::tx {

/// The blocks that the calling thread's transactions freed and that may not be reused yet. Trivially destructible; the
/// list itself is made at the first free and handed on when the thread ends.
class DeferredFrees {
 public:
  constexpr DeferredFrees() = default;

  void add(void* block, std::uint64_t freed_at);

  /// Frees what may be freed, once in a while: looking costs a pass over all threads.
  void collect_sometimes() {
    if (limbo_ != nullptr && limbo_->size() >= next_collection_) collect();
  }

  /// Frees what may be freed now. \returns whether there was anything.
  bool reclaim();

  /// The thread ends: what still waits is left to whoever comes by.
  void release();

 private:
  static constexpr std::size_t batch = 64;

  void collect();

  sched::LimboList* limbo_ = nullptr;
  std::size_t next_collection_ = batch;
};

}  // namespace perdure::tx

#endif
