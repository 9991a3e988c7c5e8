#ifndef PERDURE_ALGORITHMS_REDO_H
#define PERDURE_ALGORITHMS_REDO_H

#include <cstddef>
#include <cstdint>

#include "algorithms/helped_writes.h"
#include "algorithms/in_place_changes.h"
#include "algorithms/mode.h"
#include "algorithms/replica_reads.h"
#include "log/mirror.h"
#include "log/states_of_thread.h"
#include "log/turns.h"
#include "log/volatile_undo_log.h"
#include "persist/step.h"
#include "stats/counters.h"
#include "tx/abort.h"
#include "tx/algorithm.h"

namespace perdure::algorithms {

/// Several copies of the pool, of which one counts. Threads make updates side by side, each in a copy that it has to
/// itself, and one compare-and-set says whose turn comes next: two fences, and no log. Who was too late announces its
/// operation, and whoever makes the next turn makes it with its own (tx/helping.h). So a thread that is stopped keeps
/// from others the copy that it has and the one that it reads, and nothing else. (Redo-PTM of Correia, Felber,
/// Ramalhete, EuroSys'20, section 5, Algorithms 1 to 3.)
///
/// In the mode `timed` (RedoTimed-PTM, end of section 5) an update takes the copy that lacks least, and waits a while
/// when another thread has it: that one may make the update with its own. So fewer updates are made in vain, and most
/// in copies that lack little.
///
/// Memory outside of pools, but for frames of the thread's own stack, is changed in place by one transaction at a time,
/// which makes a turn in any case. One that is stopped meanwhile keeps those waiting that use such memory.
template <class ModeType>
class Redo {
 public:
  using Mode = ModeType;
  static constexpr tx::Traits traits{.needs_quiescence = true, .has_doomed_readers = true, .writes_in_place = true};

  constexpr Redo() = default;

  std::uint64_t begin(sched::ThreadSlot& slot) {
    slot_ = &slot;
    reads_.forget();
    is_updating_ = false;
    changes_ = changes.count();
    has_read_outside_ = false;
    return time_ = log::turns.begin_to_read(slot);
  }

  template <class T>
  T read_unwritten(const T* address) {
    return reads_.read_elsewhere(address, *this);
  }

  bool knows(const void* address) const { return reads_.know(address); }
  template <class T>
  T read_known(const T* address) const {
    return reads_.read_known(address);
  }

  template <tx::Memory M, class T>
  T read(const T* address) {
    if constexpr (M == tx::Memory::other) return read_outside(address);
    if (writes_.is_in_place() || writes_.is_new(address)) return log::load_shared(address);
    return reads_.read(address, *this);
  }

  template <tx::Memory M, class T>
  void write(T* address, T value) {
    begin_update();
    if constexpr (M == tx::Memory::pool) {
      if (writes_.empty()) reads_.forget();
      writes_.write(address, value, *slot_, time_);
    } else {
      if (others_.empty() && !changes.try_begin(changes_)) tx::abort(tx::CommitResult::locked);
      others_.save(address);
      log::store_shared(address, value);
    }
  }

  void note_new_block(void* block, std::size_t bytes) {
    begin_update();
    if (!pool::in_window(block)) return;
    if (writes_.empty()) reads_.forget();
    writes_.note_new_block(block, bytes, *slot_, time_);
  }

  bool extend() const { return log::turns.is_last(time_); }

  /// What it has written lies where other code does not see it: then it runs again, alone from its beginning.
  void prepare_to_be_alone() {
    if (writes_.has_changed_chunks()) tx::abort(tx::CommitResult::not_alone);
  }
  void go_in_place() { writes_.go_in_place(); }

  template <class Captured>
  tx::CommitResult commit(sched::ThreadSlot& slot, const Captured& captured) {
    if (writes_.empty() && others_.empty() && !makes_turn_) return end_without_turn();
    if (!makes_turn_ && !take_state()) return tx::CommitResult::locked;
    writes_.fill_in(*state_, captured);
    if (!make_turn([&] { return decide(slot); })) return tx::CommitResult::locked;
    end_turn(slot);
    if (!others_.empty()) changes.end();
    others_.clear();
    log::mirror.catch_up(slot);
    return tx::CommitResult::committed;
  }

  void roll_back(sched::ThreadSlot&) {
    makes_turn_ = false;
    writes_.roll_back();
    if (others_.empty()) return;
    others_.restore();
    changes.end();
  }

  std::uint64_t commit_timestamp() const { return time_; }

  // -- Turns in which operations of others are made, too (tx/helping.h).

  bool is_updating() const { return is_updating_; }
  /// The state of the turn that the transaction will make, also if it writes nothing (Algorithm 3, step 3). May leave
  /// by `abort`.
  log::TurnState& state_of_turn() {
    begin_update();
    if (!makes_turn_ && !take_state()) tx::abort(tx::CommitResult::locked);
    return *state_;
  }

  /// A turn that writes nothing, if the next one can be made. \param fill_in  the state; returns whether to go on.
  template <class FillIn>
  void make_empty_turn(sched::ThreadSlot& slot, FillIn&& fill_in) {
    log::turns.complete(slot);
    const bool is_decided =
        log::turns.is_last(time_) && take_state() && fill_in(*state_) && log::turns.decide(slot, time_, *state_);
    makes_turn_ = false;
    if (!is_decided) return;
    state_ = nullptr;
    log::turns.complete(slot);
  }
  /// Another thread has made this one's operation: the next transaction sees it.
  void see_turns(sched::ThreadSlot& slot) {
    log::turns.complete(slot);
    writes_.end_operation();
  }

  /// Between two attempts, while the thread does not run.
  template <class IsOver>
  void let_others_go_first(const sched::ThreadSlot& slot, const IsOver& is_over) {
    writes_.wait_for_latest_copy(slot, is_over);
  }

  void abandon(pool::PrivateMappings& memory) {
    others_.restore_for_thread_left_behind(memory);
    writes_.abandon();
  }
  static void forget_threads() {
    log::turns.forget_threads();
    log::mirror.forget_threads();
    changes.forget_threads();
  }

  void release() {
    states_.give_back();
    state_ = nullptr;
    writes_.release();
    others_.release();
  }

  // -- For ReplicaReads.

  log::Copy copy_of(const void* address) const { return writes_.copy_of(address, time_); }

 protected:
  /// What is written is durable in its copy, then it is decided that this copy counts (Algorithm 3, lines 26 to 30).
  template <class Decide>
  bool make_turn(Decide&& decide) {
    bool is_decided = false;
    persistence::in_order<persistence::Step::written_before_turn>([&] { writes_.make_durable(*state_); },
                                                                  [&] { is_decided = decide(); });
    return is_decided;
  }

  /// Where the next turn may be taken for a batch already, it is this transaction's as soon as it is queued: then
  /// others can decide it, too.
  bool decide(sched::ThreadSlot& slot) {
    if constexpr (!Mode::queues_operations) return log::turns.decide(slot, time_, *state_);
    if (!log::turns.enqueue(time_ + 1, *state_)) return false;
    log::turns.decide(slot, time_, *state_);
    return true;
  }

  void end_turn(sched::ThreadSlot& slot) {
    ++time_;
    stats::counters.replica_turns.add(1);
    log::turns.complete(slot);
    state_ = nullptr;
    makes_turn_ = false;
    writes_.end_turn(time_);
  }

  /// Before its first write: others may have made a turn since it began, and then it cannot make the next one
  /// (Algorithm 3, line 13). What was decided is completed first, so that it can follow (step 4).
  void begin_update() {
    if (is_updating_) [[likely]]
      return;
    log::turns.complete(*slot_);
    if (!log::turns.is_last(time_)) begin_later();
    is_updating_ = true;
  }

  /// Who has read nothing of any pool can as well begin now.
  void begin_later() {
    if (!reads_.are_none()) tx::abort(tx::CommitResult::locked);
    time_ = log::turns.begin_to_read(*slot_);
    const bool is_as_read = !has_read_outside_ || changes.is_unchanged_since(changes_);
    if (!is_as_read || !log::turns.is_last(time_)) tx::abort(tx::CommitResult::locked);
  }

  bool take_state() {
    if (state_ == nullptr) state_ = log::turns.take_state(states_);
    if (state_ == nullptr) return false;
    state_->clear();
    makes_turn_ = true;
    return true;
  }

  /// What it has read was there at its beginning.
  tx::CommitResult end_without_turn() {
    writes_.roll_back();
    writes_.end_operation();
    return tx::CommitResult::read_only;
  }

  template <class T>
  T read_outside(const T* address) {
    has_read_outside_ = true;
    const T value = log::load_shared(address);
    if (others_.empty() && !changes.is_unchanged_since(changes_)) tx::abort(tx::CommitResult::locked);
    return value;
  }

  sched::ThreadSlot* slot_ = nullptr;
  std::uint64_t time_ = 0;  // of what it reads; after a commit, its own
  ReplicaReads reads_;
  bool is_updating_ = false;
  bool makes_turn_ = false;          // and has filled in a part of the state
  log::TurnState* state_ = nullptr;  // of the turn that the thread makes next
  log::StatesOfThread states_;
  HelpedWrites<Mode::waits_for_latest_copy, Mode::flushes_all> writes_;

 private:
  static inline constinit InPlaceChanges changes;

  std::uint64_t changes_ = 0;  // of memory outside of pools, at its beginning
  bool has_read_outside_ = false;
  log::VolatileUndoLog others_;
};

}  // namespace perdure::algorithms

#endif
