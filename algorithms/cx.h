#ifndef PERDURE_ALGORITHMS_CX_H
#define PERDURE_ALGORITHMS_CX_H

#include <cstddef>
#include <cstdint>

#include "algorithms/redo.h"
#include "log/exclusive_copy.h"
#include "log/replica_places.h"
#include "log/replica_set.h"
#include "log/states_of_thread.h"
#include "log/turn_state.h"
#include "log/turns.h"
#include "persist/step.h"
#include "pool/slots.h"
#include "pool/window.h"
#include "tx/abort.h"
#include "tx/algorithm.h"

namespace perdure::algorithms {

/// Several copies of the pool, of which one counts. What the next update is to be is decided before anybody has made
/// it: a batch of the operations that threads have announced. Then each thread that wants to get on makes the batch in
/// a copy of its own, and one compare-and-set says whose copy counts; the others' hold the same. A copy that lags
/// behind makes again what it lacks: the log of updates is one of operations, not of stores. (CX-PTM of Correia,
/// Felber, Ramalhete, EuroSys'20, section 4; the queue has one place, for all that is announced.)
///
/// In the mode `puc` (CX-PUC) nothing is known of which lines were written, and the whole copy is flushed.
///
/// What other threads cannot run, or would not come to the same end with, because it uses memory outside of the pool,
/// its owner makes as in Redo, of which this is one: in its copy first, and then that comes next, if nothing else does.
template <class ModeType>
class Cx : public Redo<ModeType> {
  using Base = Redo<ModeType>;

 public:
  constexpr Cx() = default;

  std::uint64_t begin(sched::ThreadSlot& slot) {
    is_in_batch_ = false;
    return Base::begin(slot);
  }

  template <tx::Memory M, class T>
  T read(const T* address) {
    if (M == tx::Memory::other && is_in_batch_) leave_to_owner();
    return Base::template read<M>(address);
  }

  template <tx::Memory M, class T>
  void write(T* address, T value) {
    if constexpr (M == tx::Memory::pool)
      offer(address);
    else if (is_in_batch_)
      leave_to_owner();
    Base::template write<M>(address, value);
  }

  void note_new_block(void* block, std::size_t bytes) {
    if (pool::in_window(block)) offer(block);
    Base::note_new_block(block, bytes);
  }

  bool extend() const { return Base::extend() && (is_in_batch_ || log::turns.queued_at(this->time_ + 1) == nullptr); }

  template <class Captured>
  tx::CommitResult commit(sched::ThreadSlot& slot, const Captured& captured) {
    if (!is_in_batch_) return Base::commit(slot, captured);
    this->writes_.fill_in(*this->state_, captured);
    const auto decide = [&] { return log::turns.decide(slot, this->time_, *this->state_); };
    if (!this->make_turn(decide)) {
      log::turns.complete(slot);
      this->makes_turn_ = false;
      // Another thread has made the same turn: the batch says what that is.
      this->writes_.leave_as_other(this->time_ + 1);
      return tx::CommitResult::locked;
    }
    this->end_turn(slot);
    log::mirror.catch_up(slot);
    return tx::CommitResult::committed;
  }

  // -- Operations that are put in order first (tx/queueing.h).

  /// The next transaction is to be left at its first write to a pool, if that could be made by way of the queue: then
  /// `wanted_slot` says which pool it is.
  void offer_to_queue(bool offers) {
    offers_ = offers;
    wanted_slot_ = log::TurnState::no_pool;
  }
  std::size_t wanted_slot() const { return wanted_slot_; }
  /// Others may be looking at a pool that has no copies yet: who opens it is alone.
  static bool may_be_queued(std::size_t slot) {
    return slot != log::TurnState::no_pool && log::replica_sets[slot].is_open();
  }

  /// Of the last turn before the batch that is to be made.
  std::uint64_t time() const { return this->time_; }
  /// A cleared state for a batch. May leave by `abort`.
  log::TurnState& take_batch() {
    if (batch_ == nullptr) batch_ = log::turns.take_state(batches_);
    if (batch_ == nullptr) tx::abort(tx::CommitResult::locked);
    batch_->clear();
    return *batch_;
  }
  /// It is the one that comes next.
  void give_away_batch() { batch_ = nullptr; }

  /// The transaction makes the batch that comes next, and uses its pool only. \returns the state of the turn that this
  /// will be, to be filled in. May leave by `abort`.
  /// \param remake         makes a batch again, in the copy that this transaction has, which lacks it.
  /// \param copies_lag     what the copy lacks is copied instead: to make it again has not come to the same end.
  template <class Remake>
  log::TurnState& begin_batch(const log::TurnState& batch, bool copies_lag, const Remake& remake) {
    log::turns.complete(*this->slot_);
    if (!log::turns.is_last(this->time_) || !this->take_state()) tx::abort(tx::CommitResult::locked);
    is_in_batch_ = this->is_updating_ = true;
    this->reads_.forget();
    log::ExclusiveCopy& copy = this->writes_.begin_batch(batch.slot, *this->slot_, this->time_);
    // It has counted after that time: this transaction is late.
    if (copy.holds() > this->time_) tx::abort(tx::CommitResult::locked);
    if (!copies_lag && copy.is_in_reach(this->time_) && can_be_made_again(batch.slot, copy.holds()))
      make_again(batch.slot, copy.holds(), remake);
    else
      copy.catch_up(this->time_);
    copy.read_no_other();
    return *this->state_;
  }

  /// The transaction has committed, and frees the block. What it held is still in all copies that lag behind; but what
  /// has no replicas is the same memory for all copies, and may be given back, or used otherwise.
  static void note_freed(const void* block, std::size_t bytes) {
    log::for_each_superblock(log::chunks_of_block(block, bytes), [](const log::Range& part) {
      if (log::place_of(part.begin, 1) == part.begin) log::turns.make_none_again();
    });
  }

  void note_block_of_batch(void* block, std::size_t bytes) { this->writes_.note_block_of_batch(block, bytes); }

  void release() {
    batches_.give_back();
    batch_ = nullptr;
    Base::release();
  }

 private:
  /// Where each thread runs the operation for itself, it must not depend on what is not in the copy, nor change it.
  [[noreturn]] static void leave_to_owner() { tx::abort(tx::CommitResult::not_alone); }

  void offer(const void* address) {
    if (!offers_ || this->is_updating_) [[likely]]
      return;
    const std::size_t slot = pool::slot_of(address);
    if (!may_be_queued(slot)) return;
    wanted_slot_ = slot;
    tx::abort(tx::CommitResult::locked);
  }

  /// Whether all that the pool lacks since then were batches, which can still be looked at.
  bool can_be_made_again(std::size_t slot, std::uint64_t since) const {
    if (!log::turns.may_be_made_again_since(since)) return false;
    for (std::uint64_t time = since + 1; time <= this->time_; ++time) {
      const log::TurnState* const batch = log::turns.queued_at(time);
      if (batch == nullptr || (batch->slot == slot && !batch->is_batch())) return false;
    }
    return true;
  }

  template <class Remake>
  void make_again(std::size_t slot, std::uint64_t since, const Remake& remake) {
    persistence::perform<persistence::Step::lag_copied>([&] {
      for (std::uint64_t time = since + 1; time <= this->time_; ++time) {
        log::TurnState* const batch = log::turns.queued_at(time);
        if (batch == nullptr) tx::abort(tx::CommitResult::locked);  // so many others have made turns meanwhile
        if (batch->slot == slot) remake(*batch);
        this->writes_.keep_as_made_again(time);
      }
    });
  }

  bool offers_ = false;
  bool is_in_batch_ = false;
  std::size_t wanted_slot_ = log::TurnState::no_pool;
  log::TurnState* batch_ = nullptr;  // that the thread fills in next
  log::StatesOfThread batches_;
};

}  // namespace perdure::algorithms

#endif
