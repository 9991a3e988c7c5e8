#ifndef PERDURE_TX_WAITING_BLOCKS_H
#define PERDURE_TX_WAITING_BLOCKS_H

#include <cstddef>
#include <cstdint>

#include "log/change_history.h"
#include "log/replica_map.h"
#include "log/replica_places.h"
#include "persist/instance.h"
#include "pool/window.h"
#include "sched/limbo_list.h"
#include "tx/block_source.h"

namespace perdure::tx {

/// Blocks freed at or before these times can be reused.
struct ReuseHorizons {
  /// Every transaction that started earlier has ended, and no log will be replayed over them.
  std::uint64_t read_in_place = 0;
  /// Of those that transactions neither read nor write in the pool itself: that is not written to any more for what
  /// came before (log/mirror.h). Who runs since then, or is stopped, reads a copy that nobody writes to.
  std::uint64_t read_in_copies = 0;
};

/// Blocks that were freed and may not be reused yet.
class WaitingBlocks {
 public:
  /// \param freed_at  not smaller than in earlier calls.
  void add(void* block, std::uint64_t freed_at) {
    (is_read_in_copies(block) ? read_in_copies_ : read_in_place_).add(block, freed_at);
  }

  template <class Release>
  void collect(const ReuseHorizons& horizons, Release&& release) {
    read_in_place_.collect(horizons.read_in_place, release);
    read_in_copies_.collect(horizons.read_in_copies, release);
  }

  template <class IsReleased, class Release>
  void collect_if(IsReleased&& is_released, Release&& release) {
    read_in_place_.collect_if(is_released, release);
    read_in_copies_.collect_if(is_released, release);
  }

  void take_all(WaitingBlocks& other) {
    read_in_place_.take_all(other.read_in_place_);
    read_in_copies_.take_all(other.read_in_copies_);
  }

  std::size_t size() const { return read_in_place_.size() + read_in_copies_.size(); }

 private:
  /// What has no replicas is the same memory for all.
  static bool is_read_in_copies(void* block) {
    if (!instance.facts.helps || !pool::in_window(block)) return false;
    bool result = true;
    log::for_each_superblock(log::chunks_of_block(block, usable_block_size(block)), [&](const log::Range& part) {
      result = result && log::place_of(part.begin, 1) != part.begin;
    });
    return result;
  }

  sched::LimboList read_in_place_;
  sched::LimboList read_in_copies_;
};

}  // namespace perdure::tx

#endif
