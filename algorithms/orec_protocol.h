#ifndef PERDURE_ALGORITHMS_OREC_PROTOCOL_H
#define PERDURE_ALGORITHMS_OREC_PROTOCOL_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "htm/transaction.h"
#include "log/growing_array.h"
#include "log/pieces.h"
#include "log/shared_memory.h"
#include "persist/step.h"
#include "sched/thread_registry.h"
#include "stats/counters.h"
#include "sync/clock.h"
#include "sync/filter.h"
#include "sync/orec_table.h"
#include "sync/spin.h"
#include "tx/abort.h"

namespace perdure::algorithms {

/// What the algorithms with ownership records have in common: reads at a time, extension of that time, locks, and the
/// place in the commit order. (Felber et al., PPoPP'08; Dice et al., TL2; Spear et al., PPoPP'09.) They differ in when
/// they take the locks, and in where new values are until the commit.
///
/// Invariant (opacity): all values read so far are those of time `start_`. A location whose orec is newer is used only
/// after the start time has been extended past it, which re-validates everything read.
class OrecProtocol {
 public:
  constexpr OrecProtocol() = default;

  std::uint64_t begin(sched::ThreadSlot& slot) {
    start_ = sync::commit_clock.now();
    // Sequentially consistent: a thread that frees or privatises memory after this sees that the transaction runs. An
    // older start time than necessary only makes it wait longer.
    slot.running_since.store(start_, std::memory_order_seq_cst);
    last_stripe_ = no_stripe;
    return start_;
  }

  /// ConsistentRead of Listing 1. The location is not locked by this transaction.
  ///
  /// The orec is looked at before and after the value. After: whoever stores a value has locked the orec before.
  /// Before: a commit that took its timestamp before this transaction started may have its write-back still to do; the
  /// orec is locked until then, but a moment later it is not newer than the start.
  template <class T>
  T consistent_read(const T* address) {
    sync::Orec& orec = sync::orec_table.of(address);
    const sync::OrecValue before = orec.load(std::memory_order_acquire);
    const T value = log::load_shared(address);  // acquire: before the second look at the orec
    if (before.is_of(start_) && orec.load(std::memory_order_relaxed) == before) [[likely]] {
      reads_.push_back(&orec);
      return value;
    }
    return static_cast<T>(read_again(address));
  }

  /// ConsistentRead in a transaction that has written nothing so far. What it reads next in the stripe that it read
  /// last is in the read set already, and needs one look at the orec: that was not locked, and not newer than the
  /// start, before the stripe was first read, so whoever locks it after that takes a timestamp that is newer than the
  /// start. (Also than one that is extended, since the orec is validated again.)
  template <class T>
  T consistent_read_unwritten(const T* address) {
    const std::uintptr_t stripe = reinterpret_cast<std::uintptr_t>(address) / sync::stripe_bytes;
    if (stripe == last_stripe_) {
      const T value = log::load_shared(address);  // acquire: before the look at the orec
      if (sync::orec_table.of(address).load(std::memory_order_relaxed).is_of(start_)) [[likely]]
        return value;
    }
    last_stripe_ = stripe;
    return consistent_read(address);
  }

  /// Bytes of one stripe, all at one time.
  void consistent_copy(void* to, const void* from, std::size_t bytes) {
    sync::Orec& orec = sync::orec_table.of(from);
    for (;;) {
      const sync::OrecValue before = current(orec);
      log::copy_shared(to, from, bytes);
      if (orec.load(std::memory_order_relaxed) == before) [[likely]]
        break;
    }
    reads_.push_back(&orec);
  }

  /// At most so new is everything read. (What is locked, or newer than the start by now, was of the start when read.)
  /// What is locked here may have been read without a note.
  std::uint64_t newest_read() const {
    std::uint64_t newest = 0;
    const auto look_at = [&](sync::OrecValue value) {
      newest = std::max(newest, value.is_of(start_) ? value.commit_timestamp() : start_);
    };
    for (const sync::Orec* const orec : reads_) look_at(orec->load(std::memory_order_relaxed));  // versions only grow
    for (const Lock& held : locks_) look_at(held.previous);
    return newest;
  }

  bool owns(const void* address) const {
    return sync::orec_table.of(address).load(std::memory_order_relaxed).is_locked_by(this);
  }

  /// Takes the locks of [address, address + bytes), a chunk. \returns false on a conflict.
  [[gnu::always_inline]] bool lock(std::uintptr_t address, std::size_t bytes) {
    for (std::uintptr_t stripe = address; stripe < address + bytes; stripe += sync::stripe_bytes)
      if (!lock(sync::orec_table.of(reinterpret_cast<const void*>(stripe)))) return false;
    return true;
  }

  /// Like `lock`, in the middle of the transaction: leaves by `abort`.
  void lock_or_abort(std::uintptr_t address, std::size_t bytes) {
    if (!lock(address, bytes)) tx::abort(tx::CommitResult::locked);
  }

  /// Like `lock_or_abort`, for a word that is not read before: waits for others to give it back. For a moment only,
  /// because they may wait for what this transaction has locked.
  void lock_patiently(const void* address) {
    sync::Orec& orec = sync::orec_table.of(address);
    sync::Spinner spinner;
    for (std::uint32_t turn = 0; !lock(orec); ++turn) {
      if (turn == patience) tx::abort(tx::CommitResult::locked);
      // It has been given back meanwhile, or it is newer than what can still be used of what was read.
      if (!orec.load(std::memory_order_relaxed).is_locked() && !extend()) tx::abort(tx::CommitResult::validation);
      spinner.wait();
    }
  }

  /// Why `lock_on` gives its hardware transaction up.
  enum GivenUp : std::uint8_t { locked = 1, newer = 2 };

  /// Like `lock`, in a hardware transaction: each orec is looked at and stored to as if at one moment, which is that of
  /// the commit. So what holds behind a compare-and-swap of each holds behind the commit.
  /// \tparam reads_too  what was read was read in that transaction, so it is of that moment, too, however new.
  template <htm::Processor P, bool reads_too>
  void lock_on(std::uintptr_t address, std::size_t bytes) {
    for (std::uintptr_t stripe = address; stripe < address + bytes; stripe += sync::stripe_bytes)
      lock_on<P, reads_too>(sync::orec_table.of(reinterpret_cast<const void*>(stripe)));
  }
  /// Counters may be locked before a hardware transaction begins (`lock_patiently`): if it aborts, they still are.
  std::size_t lock_count() const { return locks_.size(); }
  void forget_locks_since(std::size_t count) { locks_.truncate(count); }

  /// Moves the start time to now, if everything read is still as it was.
  bool extend() {
    const std::uint64_t now = sync::commit_clock.now();  // before validating: what commits meanwhile is newer than this
    if (!is_valid()) return false;
    start_ = now;
    stats::counters.extensions.add(1);
    return true;
  }

  /// Takes the commit's place in the commit order. All locks are held. \returns whether everything read is still valid.
  /// \tparam ticks_tell  nobody takes place before its timestamp, but with its locks held (hardware_body.h).
  template <bool ticks_tell>
  bool order_commit() {
    commit_timestamp_ = sync::commit_clock.tick();
    // Nobody else committed since the start: everything read is still valid.
    const bool tells = ticks_tell || persistence::value<persistence::Step::hardware_before_ticks>(false);
    return (tells && commit_timestamp_ == start_ + 1) || is_valid();
  }

  /// What has been read is of a moment that has passed, whatever the start was.
  void start_now() { start_ = sync::commit_clock.now(); }

  void commit_read_only() { commit_timestamp_ = start_; }
  std::uint64_t commit_timestamp() const { return commit_timestamp_; }

  /// After a commit.
  void unlock() { unlock_as(sync::OrecValue::version(commit_timestamp_)); }

  /// After an abort that has changed nothing.
  void unlock_unchanged() {
    for (const Lock& held : locks_) held.orec->store(held.previous, std::memory_order_release);
    locks_.clear();
  }

  /// After an abort that has changed memory and restored it: a reader that saw the changed value must not find the orec
  /// that it saw before.
  void unlock_restored() {
    if (!locks_.empty()) unlock_as(sync::OrecValue::version(sync::commit_clock.tick()));
  }

  /// The thread is not in this process, which was forked. Its locks are given up, as after a commit: what they guard is
  /// as it was before the transaction, or as behind it.
  void abandon() {
    for (const Lock& held : locks_.of_thread_left_behind())
      if (held.orec->load(std::memory_order_relaxed).is_locked_by(this))
        held.orec->store(sync::OrecValue::version(sync::commit_clock.tick()), std::memory_order_relaxed);
  }

  /// What it has locked, it may have read as well, without a note of its own.
  void note_reads(sync::Filter& filter) const {
    for (const sync::Orec* const orec : reads_) filter.add_number(sync::OrecTable::number_of(*orec));
    note_locked(filter);
  }
  void note_locked(sync::Filter& filter) const {
    for (const Lock& held : locks_) filter.add_number(sync::OrecTable::number_of(*held.orec));
  }
  /// [address, address + bytes), which is to be locked.
  static void note(sync::Filter& filter, std::uintptr_t address, std::size_t bytes) {
    for (std::uintptr_t stripe = address; stripe < address + bytes; stripe += sync::stripe_bytes)
      filter.add_number(sync::OrecTable::number_of(sync::orec_table.of(reinterpret_cast<const void*>(stripe))));
  }

  void reset() { reads_.clear(); }

  void release() {
    reads_.release();
    locks_.release();
  }

 private:
  static constexpr std::uint32_t patience = 2 * sync::Spinner::spins_before_yield;
  static constexpr std::uintptr_t no_stripe = ~std::uintptr_t{0};

  struct Lock {
    sync::Orec* orec;
    sync::OrecValue previous;
  };

  /// The orec's value, once it is not newer than the start; if it could be, the start time is moved.
  sync::OrecValue current(const sync::Orec& orec) {
    for (;;) {
      const sync::OrecValue value = orec.load(std::memory_order_acquire);
      if (value.is_of(start_)) [[likely]]
        return value;
      if (value.is_locked()) tx::abort(tx::CommitResult::locked);
      if (!extend()) tx::abort(tx::CommitResult::validation);
    }
  }

  /// Out of line, and saving its registers itself, so that reading needs no frame.
  template <class T>
  [[gnu::noinline, clang::preserve_most]] std::uint64_t read_again(const T* address) {
    sync::Orec& orec = sync::orec_table.of(address);
    for (;;) {
      const sync::OrecValue before = current(orec);
      const T value = log::load_shared(address);
      if (orec.load(std::memory_order_relaxed) != before) continue;
      reads_.push_back(&orec);
      return value;
    }
  }

  bool is_valid() const {
    stats::counters.validations.add(1);
    for (const sync::Orec* orec : reads_) {
      const sync::OrecValue value = orec->load(std::memory_order_acquire);
      // An orec that this transaction has locked was not newer than the start when it was locked.
      if (!value.is_of(start_) && !value.is_locked_by(this)) return false;
    }
    return true;
  }

  /// Inlined: commits that write much take a lock for each chunk.
  [[gnu::always_inline]] bool lock(sync::Orec& orec) {
    sync::OrecValue value = orec.load(std::memory_order_acquire);
    if (value.is_locked()) return value.is_locked_by(this);
    if (!value.is_of(start_) && !extend()) return false;
    // Acquire: the stores to the location come after. Release: pairs with the readers' acquire in load_shared through
    // those stores.
    // Noted first: of the locks of a thread that a forked child does not have it must find all.
    locks_.push_back_whole({&orec, value});
    if (orec.compare_exchange_strong(value, sync::OrecValue::locked_by(this), std::memory_order_acq_rel)) return true;
    locks_.pop_back();
    return false;
  }

  template <htm::Processor P, bool reads_too>
  void lock_on(sync::Orec& orec) {
    const sync::OrecValue value = orec.load_on<P>();
    if (value.is_locked_by(this)) return;  // also covers another chunk
    if (persistence::value<persistence::Step::hardware_finds_lock>(value.is_locked())) P::template give_up<locked>();
    const bool is_newer = !value.is_locked() && !value.is_of(start_);
    if (!reads_too && persistence::value<persistence::Step::hardware_finds_newer>(is_newer))
      P::template give_up<newer>();
    locks_.push_back_whole({&orec, value});  // a forked child finds it together with the lock, or neither
    orec.store_on<P>(sync::OrecValue::locked_by(this));
  }

  void unlock_as(sync::OrecValue version) {
    // Release: whoever sees the new version sees the new values.
    for (const Lock& held : locks_) held.orec->store(version, std::memory_order_release);
    locks_.clear();
  }

  std::uint64_t start_ = 0;
  std::uint64_t commit_timestamp_ = 0;
  std::uintptr_t last_stripe_ = no_stripe;  // that consistent_read_unwritten has read
  log::GrowingArray<sync::Orec*> reads_;
  log::GrowingArray<Lock> locks_;
};

}  // namespace perdure::algorithms

#endif
