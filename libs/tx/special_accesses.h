#ifndef PERDURE_TX_SPECIAL_ACCESSES_H
#define PERDURE_TX_SPECIAL_ACCESSES_H

#include "sched/quiescence.h"
#include "sched/waiters.h"
#include "tx/abort.h"
#include "tx/algorithm.h"
#include "tx/beside_disks.h"
#include "tx/captured.h"
#include "tx/failure.h"
#include "tx/serial.h"
#include "tx/static_initialisation.h"

namespace perdure::tx {

/// What accesses do in a nested part, where each write notes what it overwrites, and in a serial transaction: a part of
/// tx::Transaction. All memory counts as the last block allocated then (Captured::capture_everything). So other
/// accesses ask for this only where they would go past the algorithm, which is seldom.
template <class Transaction, Algorithm A>
class SpecialAccesses {
 public:
  /// From here on the running transaction is alone: at once, or when it has run up to here again. (docs/serial.md)
  void become_serial() {
    if (!self().is_running_ || serial_.is_on()) return;
    if (static_initialisation.is_running()) refuse_transaction_in_initialiser();
    if (self().is_running_for_other()) self().leave_to_owner();
    if constexpr (!A::traits.one_at_a_time) {
      if (!self().progress_.try_turn_to_be_alone()) abort(CommitResult::not_alone);
      if constexpr (PreparesToBeAlone<A>) self().algorithm_.prepare_to_be_alone();
      sched::wait_until_alone(self().context_.slot());
      if (!self().extend()) abort(CommitResult::validation);
    }
    begin_serial();
    self().add_before_other_code();
  }

 protected:
  /// It is serial and writes elsewhere than others, or in a nested part.
  bool is_special() const { return is_special_; }
  /// In a nested part that is not serial.
  bool reads_by_algorithm() const { return is_special_ && !serial_.writes_elsewhere(); }

  /// \param block  that the transaction has allocated, or null. \returns it. May leave by `abort`.
  void* note_new_block(void* block, std::size_t bytes) {
    if constexpr (NotesNewBlocks<A>)
      if (block != nullptr) self().algorithm_.note_new_block(block, bytes);
    return block;
  }

  template <Memory M, class T>
  [[gnu::noinline, gnu::cold]] void write_specially(T* address, T value) {
    if (self().is_in_part())
      self().note_old(address, M == Memory::pool ? self().read_from_pool(address) : self().read_outside(address));
    put<M>(address, value);
  }

  template <Memory M, class T>
  [[gnu::noinline, gnu::cold]] void put(T* address, T value) {
    if (M == Memory::other && self().is_own(address))
      *address = value;
    else if (serial_.writes_elsewhere())
      serial_.template write<M>(self().algorithm_, address, value);
    else if constexpr (M == Memory::other)
      self().write_outside_as_ever(address, value);
    else
      self().algorithm_.template write<M>(address, value);
  }

  /// What is written there need not be undone with the innermost part, or, if there is none, with the transaction.
  bool needs_no_undo(const void* address) {
    return self().is_in_part() ? self().dies_with_part(address) : self().is_own(address);
  }

  void begin_parts() {
    is_special_ = true;
    self().memory_.capture_everything();
  }
  void end_parts() {
    is_special_ = serial_.writes_elsewhere();
    if (!is_special_) self().memory_.capture_nothing();
  }

  /// Nobody else runs a transaction.
  void begin_serial() {
    self().memory_.will_write();  // what it reads from here on is in place
    self().solitude_.become_serial(self().algorithm_, self().context_.slot());
    self().memory_.log_reused(self().algorithm_);
    serial_.begin(self().algorithm_, self().memory_);
    self().memory_.settle_reused();
    is_special_ = is_special_ || serial_.writes_elsewhere();
    commits_specially_ = true;
  }

  /// It is serial, or others wait.
  bool commits_specially() const { return commits_specially_; }
  void note_writes_at_commit() { commits_specially_ = true; }

  /// Before the algorithm commits. \returns the blocks that it is to flush.
  [[gnu::noinline, gnu::cold]] const Captured& begin_special_commit(const Captured& captured) {
    const bool notes_writes = self().note_writes();
    commits_specially_ = notes_writes || serial_.is_on();
    return serial_.is_on() ? serial_.make_durable(self().algorithm_, self().memory_) : captured;
  }

  /// It has committed.
  [[gnu::noinline, gnu::cold]] void end_serial_commit() {
    serial_.end(self().algorithm_);
    is_special_ = false;
    self().progress_.release_turn();
    if (are_beside_disks<A>()) self().acknowledge();
    if (sched::waiters.are_there()) self().wake_waiters();
  }
  /// Before the algorithm gives up its locks.
  void roll_back_special() {
    self().forget_parts();
    serial_.roll_back(self().algorithm_);
    is_special_ = false;
  }

  Serial<A> serial_;

 private:
  friend Transaction;
  constexpr SpecialAccesses() = default;

  Transaction& self() { return static_cast<Transaction&>(*this); }

  bool is_special_ = false;
  bool commits_specially_ = false;
};

}  // namespace perdure::tx

#endif
