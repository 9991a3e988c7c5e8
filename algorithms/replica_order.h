#ifndef PERDURE_ALGORITHMS_REPLICA_ORDER_H
#define PERDURE_ALGORITHMS_REPLICA_ORDER_H

#include <atomic>
#include <cstdint>

#include "algorithms/in_place_changes.h"
#include "sched/hourglass.h"
#include "sched/thread_registry.h"
#include "sync/spin.h"

namespace perdure::algorithms {

/// The order of updates where they are made in one of several copies (log/replica_set.h): one at a time, numbered by
/// the time. Those who only read take no part in it: they say since when they read, and are never waited for by who
/// turns to a copy that they do not read.
class ReplicaOrder {
 public:
  /// Said by who has read nothing yet, and will not before its turn: nobody waits for it but who has to be alone.
  static constexpr std::uint64_t reads_nothing = sched::never - 1;

  constexpr ReplicaOrder() = default;

  std::uint64_t time() const { return time_.load(std::memory_order_seq_cst); }

  /// The transaction reads what was committed up to the time that is returned.
  std::uint64_t begin_to_read(sched::ThreadSlot& self) const {
    for (std::uint64_t now = time();;) {
      // Sequentially consistent, and so is `advance`: either who makes an update later sees that this transaction reads
      // what it would overwrite, or this transaction sees the later time here. (Algorithm 2, lines 7 to 9: the shared
      // try-lock, and the second look at curComb.)
      self.running_since.store(now, std::memory_order_seq_cst);
      const std::uint64_t seen = time();
      if (seen == now) return now;
      now = seen;
    }
  }

  bool is_turn_taken() const { return lock_.is_locked(); }
  bool try_take_turn() { return lock_.try_lock(); }
  /// \returns false when it does not get one before long, or somebody has to be alone, for whom it must not wait.
  bool take_turn() {
    constexpr unsigned most_looks = 1 << 14;
    sync::PatientSpinner spinner;
    for (unsigned look = 0; look < most_looks; ++look) {
      if (lock_.try_lock()) return true;
      if (sched::hourglass.is_turned()) return false;
      spinner.wait();
    }
    return false;
  }
  void end_turn() { lock_.unlock(); }

  /// What was committed at the time before is there for all who begin now.
  void advance(std::uint64_t time) { time_.store(time, std::memory_order_seq_cst); }

  /// Memory that has no copies is changed by who has the turn.
  InPlaceChanges& changes() { return changes_; }

  /// In a forked child.
  void forget_threads() {
    lock_.unlock();
    changes_.forget_threads();
  }

 private:
  alignas(64) std::atomic<std::uint64_t> time_{1};
  InPlaceChanges changes_;
  alignas(64) sync::SpinLock lock_;
};

}  // namespace perdure::algorithms

#endif
