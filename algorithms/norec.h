#ifndef PERDURE_ALGORITHMS_NOREC_H
#define PERDURE_ALGORITHMS_NOREC_H

#include <cstdint>

#include "algorithms/mode.h"
#include "algorithms/redo_algorithm.h"
#include "log/value_log.h"
#include "sync/sequence_lock.h"
#include "tx/abort.h"
#include "tx/algorithm.h"

namespace perdure::algorithms {

/// No ownership records: one sequence lock orders the commits, and reads are validated by value. (Dalessandro, Spear,
/// Scott, PPoPP'10.) Commits are serial, so nobody writes to memory that an earlier commit has made private. A doomed
/// transaction may still load from it before it notices; the value is discarded, but the load faults if the memory has
/// been unmapped. Hence quiescence, which the published algorithm leaves out.
///
/// Invariant (opacity): all values in the read log were in memory together when the sequence lock was `snapshot_`.
template <class ModeType>
class Norec : public RedoAlgorithm<Norec<ModeType>, ModeType> {
  using Base = RedoAlgorithm<Norec, ModeType>;
  friend Base;
  using Base::commit_timestamp_;
  using Base::writes_;

 public:
  static constexpr tx::Traits traits{.needs_quiescence = true, .has_doomed_readers = true, .writes_in_place = false};

  constexpr Norec() = default;

  std::uint64_t begin(sched::ThreadSlot& slot) {
    snapshot_ = sync::commit_sequence.wait_until_free();
    const std::uint64_t start = sync::commit_sequence.commits(snapshot_);
    // Sequentially consistent: a thread that frees memory after this sees that the transaction runs.
    slot.running_since.store(start, std::memory_order_seq_cst);
    return start;
  }

  bool extend() { return revalidate(); }

  template <class Captured>
  tx::CommitResult commit(sched::ThreadSlot& slot, const Captured& captured) {
    if (writes_.empty()) return Base::commit_read_only(captured, sync::commit_sequence.commits(snapshot_));
    // Announced before the lock is taken: whoever commits later sees the bound.
    writes_.announce(slot, captured, sync::commit_sequence.commits(snapshot_));
    while (!sync::commit_sequence.try_lock(snapshot_))
      if (!revalidate()) return tx::CommitResult::validation;
    commit_timestamp_ = sync::commit_sequence.commits(snapshot_) + 1;
    if (const auto failure = writes_.prepare(captured); failure != tx::CommitResult::committed) {
      sync::commit_sequence.unlock_unchanged(snapshot_);
      return failure;
    }
    return Base::commit_writes(slot, [this] { sync::commit_sequence.unlock(snapshot_); });
  }

  void note_reads(sync::Filter& filter) const {
    if (Base::sole_reads_.are_on()) return filter.add_everything();  // it has not noted them
    reads_.for_each_address([&](auto address) { filter.add(address); });
  }
  void note_writes(sync::Filter& filter) const {
    writes_.for_each_chunk([&](auto chunk, auto bytes) {
      filter.add(chunk, bytes);
      return true;
    });
  }

  void roll_back(sched::ThreadSlot& slot) { Base::give_up(slot); }
  static void forget_threads() { sync::commit_sequence.forget_threads(); }

  void release() {
    reads_.release();
    writes_.release();
  }

 private:
  template <class T>
  T consistent_read(const T* address) {
    T value = log::load_shared(address);
    // Acquire in load_shared: a value from a later commit also shows that commit's sequence number.
    while (!sync::commit_sequence.is(snapshot_)) {
      if (!revalidate()) tx::abort(tx::CommitResult::validation);
      value = log::load_shared(address);
    }
    reads_.add(address, value);
    return value;
  }

  /// Moves the snapshot to now, if every value read is still there.
  [[gnu::noinline]] bool revalidate() {
    stats::counters.validations.add(1);
    for (;;) {
      const std::uint64_t now = sync::commit_sequence.wait_until_free();
      if (!reads_.is_unchanged()) return false;
      if (!sync::commit_sequence.is(now)) continue;  // somebody committed meanwhile
      snapshot_ = now;
      stats::counters.extensions.add(1);
      return true;
    }
  }

  void reset() { reads_.clear(); }

  std::uint64_t snapshot_ = 0;
  log::ValueLog reads_;
};

}  // namespace perdure::algorithms

#endif
