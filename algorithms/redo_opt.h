#ifndef PERDURE_ALGORITHMS_REDO_OPT_H
#define PERDURE_ALGORITHMS_REDO_OPT_H

#include <cstdint>

#include "algorithms/mode.h"
#include "algorithms/replica_order.h"
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
    forget_what_it_reads();
    if (expects_to_write()) {
      phase_ = Phase::awaiting_turn;
      slot.running_since.store(ReplicaOrder::reads_nothing, std::memory_order_seq_cst);
      return ReplicaOrder::reads_nothing;
    }
    phase_ = Phase::reading;
    changes_ = order.changes();
    return time_ = order.begin_to_read(slot);
  }

  template <class T>
  T read_unwritten(const T* address) {
    return phase_ == Phase::reading ? read_as_it_was(address) : read_in_turn(address);
  }

  template <tx::Memory M, class T>
  T read(const T* address) {
    if constexpr (M == tx::Memory::other) return read_in_place(address);
    return read_unwritten(address);
  }

  template <tx::Memory M, class T>
  void write(T* address, T value) {
    require_turn();
    if constexpr (M == tx::Memory::pool) {
      if (writes_.empty()) forget_what_it_reads();
      writes_.write(address, value, *slot_, time_);
    } else {
      if (others_.empty()) order.begin_changes();
      others_.save(address);
      log::store_shared(address, value);
    }
  }

  void note_new_block(void* block, std::size_t bytes) {
    require_turn();
    if (!pool::in_window(block)) return;
    if (writes_.empty()) forget_what_it_reads();
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
    return read_as_it_was(address);
  }

  template <class T>
  T read_as_it_was(const T* address) {
    if (log::ReplicaMap::superblock_of(address) != known_superblock_) [[unlikely]]
      return read_elsewhere(address);
    return log::load_shared(log::at_distance(address, known_distance_));
  }

  /// In another superblock than before, or in one that had no replica.
  template <class T>
  [[gnu::noinline]] T read_elsewhere(const T* address) {
    const log::Copy copy = copy_of(address);
    // Nobody writes to the pool itself while somebody reads it: whether there is a replica makes no difference.
    if (copy == log::main_copy) return read_at(address, 0);
    for (;;) {
      if (const std::ptrdiff_t distance = log::replica_map.distance(address, copy); distance != 0)
        return read_at(address, distance);
      const T value = log::load_shared(address);
      // All copies were one here. The replica is entered before who makes an update stores to the pool itself; so a
      // value of that, which the load acquires, comes with it.
      if (log::replica_map.distance(address, copy) == 0) [[likely]]
        return value;
    }
  }

  template <class T>
  T read_at(const T* address, std::ptrdiff_t distance) {
    known_superblock_ = log::ReplicaMap::superblock_of(address);
    known_distance_ = distance;
    return log::load_shared(log::at_distance(address, distance));
  }

  log::Copy copy_of(const void* address) {
    const std::size_t slot = pool::single_slot_of(address);
    if (slot != known_slot_) [[unlikely]] {
      known_slot_ = slot;
      known_copy_ = writes_.copy_of(address, time_);
    }
    return known_copy_;
  }

  /// Before it reads anything, and before its first write: from then on it reads the copy that it writes to.
  void forget_what_it_reads() {
    known_superblock_ = log::ReplicaMap::none;
    known_slot_ = pool::slot_count;
  }

  template <class T>
  T read_in_place(const T* address) {
    if (phase_ == Phase::awaiting_turn) require_turn();
    const T value = log::load_shared(address);
    if (phase_ == Phase::reading && !order.is_unchanged_since(changes_)) conflict();
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
    if (!others_.empty()) order.end_changes();
    others_.clear();
    if (!writes_.empty()) writes_.catch_up(slot);
  }

  void restore_others() {
    if (others_.empty()) return;
    others_.restore();
    order.end_changes();
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
  std::uint64_t time_ = 0;                                // of what it reads; after a commit, its own
  std::uint64_t changes_ = 0;                             // of memory outside of pools, at its beginning
  std::size_t known_superblock_ = log::ReplicaMap::none;  // of which the distance is known
  std::ptrdiff_t known_distance_ = 0;                     // to what it reads of that one
  std::size_t known_slot_ = pool::slot_count;
  log::Copy known_copy_ = log::main_copy;  // of the pool in that slot
  Phase phase_ = Phase::reading;
  unsigned expectation_ = 0;  // the last transactions, so many, have written
  ReplicaWrites writes_;
  log::VolatileUndoLog others_;
};

}  // namespace perdure::algorithms

#endif
