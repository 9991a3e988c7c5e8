#ifndef PERDURE_TX_WAITING_BLOCKS_H
#define PERDURE_TX_WAITING_BLOCKS_H

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "log/change_history.h"
#include "log/mirror.h"
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

/// Leaves out what costs something and has failed: after each failure twice as often, after a success never.
class Reluctance {
 public:
  bool leaves_out() {
    if (left_ == 0) return false;
    --left_;
    return true;
  }
  void note(bool has_succeeded) { left_ = after_next_ = has_succeeded ? 0 : std::min(2 * after_next_ + 1, most); }

 private:
  static constexpr unsigned most = 127;

  unsigned left_ = 0;
  unsigned after_next_ = 0;
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
    // Behind the look at the horizons.
    const auto release_unless_written = [&](void* block) {
      const bool is_written = log::mirror.may_be_written_to(chunks_of(block));
      is_written ? written_.add(block, 0) : release(block);
    };
    if (written_.size() != 0) [[unlikely]] {
      sched::LimboList before;
      before.take_all(written_);
      before.collect(0, release_unless_written);
    }
    read_in_copies_.collect(horizons.read_in_copies, release_unless_written);
  }

  /// Of those that are read and written in the pool itself (sched/limbo_list.h).
  template <class IsWanted>
  void* take(std::uint64_t horizon, IsWanted&& is_wanted) {
    return read_in_place_.take(horizon, is_wanted);
  }
  void put_back(void* block) { read_in_place_.put_back(block); }
  void keep_taken() { read_in_place_.keep_taken(); }

  template <class IsReleased, class Release>
  void collect_if(IsReleased&& is_released, Release&& release) {
    read_in_place_.collect_if(is_released, release);
    read_in_copies_.collect_if(is_released, release);
    written_.collect_if(is_released, release);
  }

  void take_all(WaitingBlocks& other) {
    read_in_place_.take_all(other.read_in_place_);
    read_in_copies_.take_all(other.read_in_copies_);
    written_.take_all(other.written_);
  }

  /// To look for one beside others, which is to look at all threads.
  Reluctance reluctance;

  std::size_t size() const { return read_in_place_.size() + read_in_copies_.size() + written_.size(); }

 private:
  /// What has no replicas is the same memory for all.
  static bool is_read_in_copies(void* block) {
    if (!instance.facts.helps || !pool::in_window(block)) return false;
    bool result = true;
    log::for_each_superblock(chunks_of(block), [&](const log::Range& part) {
      result = result && log::place_of(part.begin, 1) != part.begin;
    });
    return result;
  }

  static log::Range chunks_of(void* block) { return log::chunks_of_block(block, usable_block_size(block)); }

  sched::LimboList read_in_place_;
  sched::LimboList read_in_copies_;
  sched::LimboList written_;  // could be reused, but a thread that was stopped may still write there
};

}  // namespace perdure::tx

#endif
