#ifndef PERDURE_ALGORITHMS_REDO_OPT_H
#define PERDURE_ALGORITHMS_REDO_OPT_H

#include <cstdint>

#include "algorithms/mode.h"
#include "algorithms/replica_order.h"
#include "algorithms/replica_reads.h"
#include "algorithms/replica_writes.h"
#include "log/volatile_undo_log.h"
#include "tx/abort.h"
#include "tx/algorithm.h"

namespace perdure::algorithms {

/// Two copies of the pool, or more on request, of which one counts. Updates are made in another one, one after another,
/// and then a word says that it counts: two fences, and no log. Who only reads does so in the copy that counted when it
/// began, and does not wait. An update waits only if all other copies are still read: of two, for those who read what
/// the one before it replaced. (RedoOpt-PTM of Correia, Felber, Ramalhete, EuroSys'20, in which N threads have N + 1.
/// Who has the turn executes updates of others, too, as far as it can (tx/combining.h). One that is stopped in its turn
/// keeps other updates waiting.)
///
/// Memory outside of pools is changed in place by who has the turn. Who reads there aborts when it was changed since,
/// and makes its next attempt in a turn of its own.
template <class ModeType>
class RedoOpt {
 public:
  using Mode = ModeType;
  static constexpr tx::Traits traits{.needs_quiescence = true, .has_doomed_readers = true, .writes_in_place = true};

  constexpr RedoOpt() = default;

  std::uint64_t begin(sched::ThreadSlot& slot) {
    slot_ = &slot;
    reads_.forget();
    if (expects_to_write()) {
      phase_ = Phase::awaiting_turn;
      slot.running_since.store(ReplicaOrder::reads_nothing, std::memory_order_seq_cst);
      return ReplicaOrder::reads_nothing;
    }
    phase_ = Phase::reading;
    changes_ = order.changes().count();
    return time_ = order.begin_to_read(slot);
  }

  template <class T>
  T read_unwritten(const T* address) {
    return phase_ == Phase::reading ? reads_.read_elsewhere(address, *this) : read_in_turn(address);
  }

  bool knows(const void* address) const { return reads_.know(address); }
  template <class T>
  T read_known(const T* address) const {
    return reads_.read_known(address);
  }

  template <tx::Memory M, class T>
  T read(const T* address) {
    if constexpr (M == tx::Memory::other) return read_in_place(address);
    return phase_ == Phase::reading ? reads_.read(address, *this) : read_in_turn(address);
  }

  template <tx::Memory M, class T>
  void write(T* address, T value) {
    require_turn();
    if constexpr (M == tx::Memory::pool) {
      if (writes_.empty()) reads_.forget();
      writes_.write(address, value, *slot_, time_);
    } else {
      if (others_.empty()) order.changes().begin();
      others_.save(address);
      log::store_shared(address, value);
    }
  }

  void note_new_block(void* block, std::size_t bytes) {
    require_turn();
    if (!pool::in_window(block)) return;
    if (writes_.empty()) reads_.forget();
    writes_.note_new_block(block, bytes, *slot_, time_);
  }

  bool extend() { return phase_ != Phase::reading || order.time() == time_; }

  /// Who has the turn may wait for this transaction: so it takes that first, for which it does not wait while it reads.
  /// What it has written may lie where other code does not see it: then it runs again, alone from its beginning.
  void prepare_to_be_alone() {
    require_turn();
    if (writes_.has_changed_chunks()) tx::abort(tx::CommitResult::not_alone);
  }

  void go_in_place() {
    require_turn();
    writes_.go_in_place(time_);
  }

  template <class Captured>
  tx::CommitResult commit(sched::ThreadSlot& slot, const Captured& captured) {
    const bool read_only = phase_ != Phase::updating || (writes_.empty() && others_.empty());
    if (!read_only) commit_changes(slot, captured);
    if (phase_ == Phase::awaiting_turn) time_ = order.time();  // it has read nothing, but may have freed something
    end();
    expectation_ = read_only ? 0 : expectation_ + (expectation_ < expects_from);
    return read_only ? tx::CommitResult::read_only : tx::CommitResult::committed;
  }

  void roll_back(sched::ThreadSlot&) {
    if (phase_ == Phase::updating) {
      writes_.roll_back();
      restore_others();
    }
    end();
  }

  std::uint64_t commit_timestamp() const { return time_; }

  /// Whether this transaction can take updates of others with it, and whether one that runs can take this one.
  bool has_turn() const { return phase_ == Phase::updating; }
  bool expects_to_write() const { return expectation_ >= expects_from; }
  static bool is_turn_taken() { return order.is_turn_taken(); }

  // -- For ReplicaReads.

  log::Copy copy_of(const void* address) const { return writes_.copy_of(address, time_); }

  void abandon(pool::PrivateMappings& memory) { others_.restore_for_thread_left_behind(memory); }
  static void forget_threads() { order.forget_threads(); }

  void release() {
    writes_.release();
    others_.release();
  }

 private:
  enum class Phase : std::uint8_t {
    reading,        ///< what was there when it began
    awaiting_turn,  ///< it has read nothing
    updating        ///< it has the turn, and reads what is there now
  };

  static constexpr unsigned expects_from = 2;

  template <class T>
  [[gnu::noinline]] T read_in_turn(const T* address) {
    require_turn();
    if (writes_.is_in_place() || writes_.is_new(address)) return log::load_shared(address);
    if (!reads_.know(address)) writes_.prefetch(address);
    return reads_.read(address, *this);
  }

  template <class T>
  T read_in_place(const T* address) {
    if (phase_ == Phase::awaiting_turn) require_turn();
    const T value = log::load_shared(address);
    if (phase_ == Phase::reading && !order.changes().is_unchanged_since(changes_)) conflict();
    return value;
  }

  void require_turn() {
    if (phase_ == Phase::updating) [[likely]]
      return;
    take_turn();
  }

  [[gnu::noinline]] void take_turn() {
    if (phase_ == Phase::reading) {
      // It must not wait: who has the turn may wait for those who read.
      if (!order.try_take_turn()) conflict();
      phase_ = Phase::updating;
      if (order.time() != time_) conflict();
    } else {
      if (!order.take_turn()) conflict();
      phase_ = Phase::updating;
      time_ = order.begin_to_read(*slot_);
    }
  }

  /// The next attempt waits for its turn before it reads anything, and then cannot fail.
  [[noreturn]] void conflict() {
    expectation_ = expects_from;
    tx::abort(tx::CommitResult::locked);
  }

  template <class Captured>
  void commit_changes(sched::ThreadSlot& slot, const Captured& captured) {
    ++time_;
    if (!writes_.empty()) writes_.commit(captured, time_);
    order.advance(time_);
    if (!others_.empty()) order.changes().end();
    others_.clear();
    if (!writes_.empty()) writes_.catch_up(slot);
  }

  void restore_others() {
    if (others_.empty()) return;
    others_.restore();
    order.changes().end();
  }

  void end() {
    if (phase_ == Phase::updating) {
      writes_.clear();
      order.end_turn();
    }
    phase_ = Phase::reading;
  }

  static inline constinit ReplicaOrder order;

  sched::ThreadSlot* slot_ = nullptr;
  std::uint64_t time_ = 0;     // of what it reads; after a commit, its own
  std::uint64_t changes_ = 0;  // of memory outside of pools, at its beginning
  ReplicaReads reads_;
  Phase phase_ = Phase::reading;
  unsigned expectation_ = 0;  // the last transactions, so many, have written
  ReplicaWrites writes_;
  log::VolatileUndoLog others_;
};

}  // namespace perdure::algorithms

#endif
