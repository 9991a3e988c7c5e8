#ifndef PERDURE_ALGORITHMS_RING_H
#define PERDURE_ALGORITHMS_RING_H

#include <algorithm>
#include <cstdint>

#include "algorithms/mode.h"
#include "algorithms/redo_algorithm.h"
#include "stats/counters.h"
#include "sync/ring.h"
#include "tx/abort.h"
#include "tx/algorithm.h"

namespace perdure::algorithms {

/// A ring of the filters of committed writers, redo log. Reads are validated by intersecting filters: cheap, and less
/// precise than anything else here. Write-backs of commits that do not meet overlap, and complete in commit order, so
/// that memory made private is written by nobody. (Spear, Michael, von Praun, SPAA'08.) Doomed readers may still load
/// from it, as in NOrec; hence quiescence.
///
/// Invariant (opacity): nothing in `reads_` was written by a commit after `start_`, and all commits up to `start_` are
/// complete.
template <class ModeType>
class Ring : public RedoAlgorithm<Ring<ModeType>, ModeType> {
  using Base = RedoAlgorithm<Ring, ModeType>;
  friend Base;
  using Base::commit_timestamp_;
  using Base::writes_;

 public:
  static constexpr tx::Traits traits{.needs_quiescence = true, .has_doomed_readers = true, .writes_in_place = false};

  constexpr Ring() = default;

  std::uint64_t begin(sched::ThreadSlot& slot) {
    start_ = sync::commit_ring.complete();
    // Sequentially consistent: a thread that frees memory after this sees that the transaction runs.
    slot.running_since.store(start_, std::memory_order_seq_cst);
    return start_;
  }

  template <tx::Memory M, class T>
  void write(T* address, T value) {
    written_.add(writes_.template chunk_of<M>(address), writes_.template chunk_bytes<M>);
    Base::template write<M>(address, value);
  }

  bool extend() { return is_valid_up_to(sync::commit_ring.newest()); }

  template <class Captured>
  tx::CommitResult commit(sched::ThreadSlot& slot, const Captured& captured) {
    if (writes_.empty()) return Base::commit_read_only(captured, start_);
    std::uint64_t newest = sync::commit_ring.newest();
    writes_.announce(slot, captured, newest);
    // Before entering the ring, since there is no way back from it; and it takes the flushes out of the commit order.
    if (const auto failure = writes_.prepare(captured); failure != tx::CommitResult::committed) return failure;
    for (;; newest = sync::commit_ring.newest()) {
      if (!is_valid_up_to(newest)) return tx::CommitResult::validation;
      if (sync::commit_ring.enter(newest, written_)) break;
    }
    commit_timestamp_ = newest + 1;
    wait_for_writers_of_the_same();
    return Base::commit_writes(slot, [this] { sync::commit_ring.complete(commit_timestamp_); });
  }

  void note_reads(sync::Filter& filter) const {
    if (Base::sole_reads_.are_on()) return filter.add_everything();  // it has not noted them
    filter = reads_;
  }
  void note_writes(sync::Filter& filter) const { filter = written_; }

  void roll_back(sched::ThreadSlot& slot) { Base::give_up(slot); }
  void release() { writes_.release(); }
  static void forget_threads() { sync::commit_ring.forget_threads(); }

 private:
  using Intersection = sync::Ring::Intersection;

  template <class T>
  T consistent_read(const T* address) {
    reads_.add(reinterpret_cast<std::uintptr_t>(address));
    const T value = log::load_shared(address);
    // Acquire in load_shared: a value from a commit's write-back also shows that the commit has entered the ring.
    if (const std::uint64_t newest = sync::commit_ring.newest(); newest != start_ && !is_valid_up_to(newest))
      tx::abort(tx::CommitResult::validation);
    return value;
  }

  /// Whether nothing read was written by the commits up to `newest`, which have entered. The start moves to the last
  /// one that was complete before.
  [[gnu::noinline]] bool is_valid_up_to(std::uint64_t newest) {
    const std::uint64_t complete = sync::commit_ring.complete();
    stats::counters.validations.add(1);
    if (newest > start_ + sync::Ring::size) return false;  // the oldest of them are forgotten
    for (std::uint64_t commit = newest; commit > start_; --commit)
      if (sync::commit_ring.intersection(commit, reads_) != Intersection::none) return false;
    if (std::min(complete, newest) > start_) {
      start_ = std::min(complete, newest);
      stats::counters.extensions.add(1);
    }
    return true;
  }

  /// What a predecessor writes to a location must not overwrite what this transaction writes there.
  void wait_for_writers_of_the_same() {
    for (std::uint64_t commit = commit_timestamp_ - 1; commit > sync::commit_ring.complete(); --commit)
      if (sync::commit_ring.intersection(commit, written_) != Intersection::none)
        return sync::commit_ring.wait_until_complete(commit);  // and so all before it
  }

  void reset() {
    reads_.clear();
    written_.clear();
  }

  std::uint64_t start_ = 0;
  sync::Filter reads_;
  sync::Filter written_;
};

}  // namespace perdure::algorithms

#endif
