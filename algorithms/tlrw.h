#ifndef PERDURE_ALGORITHMS_TLRW_H
#define PERDURE_ALGORITHMS_TLRW_H

#include <atomic>
#include <cstdint>

#include "algorithms/mode.h"
#include "algorithms/undo_writes.h"
#include "log/growing_array.h"
#include "log/write_set.h"
#include "persist/step.h"
#include "sync/byte_lock.h"
#include "sync/spin.h"
#include "tx/abort.h"
#include "tx/algorithm.h"

namespace perdure::algorithms {

/// Readers/writer locks taken at every access and held to the end, updates in place. (Dice & Shavit, SPAA'10.) Readers
/// are visible, so nothing is ever validated, nobody reads on after a conflicting commit, and memory made private is
/// private at once. Locks that wait for each other are resolved by patience: who has waited long enough aborts.
template <class ModeType>
class Tlrw {
 public:
  using Mode = ModeType;
  static constexpr tx::Traits traits{.needs_quiescence = false, .has_doomed_readers = false, .writes_in_place = true};

  constexpr Tlrw() = default;

  std::uint64_t begin(sched::ThreadSlot& slot) {
    if (!has_slot_) [[unlikely]] {
      slot_ = sync::reader_slots.acquire();
      has_slot_ = true;
    }
    // Since when is of no interest. Sequentially consistent: a thread that has to be alone sees that this one runs.
    slot.running_since.store(0, std::memory_order_seq_cst);
    return 0;
  }

  template <tx::Memory, class T>
  T read(const T* address) {
    sync::ByteLock& lock = sync::byte_lock_table.of(address);
    if (lock.is_owned_by(this))
      writes_.before_read(address);
    else if (!is_reading(lock))
      begin_read(lock);
    return log::load_shared(address);
  }

  template <tx::Memory M, class T>
  void write(T* address, T value) {
    const std::uintptr_t chunk = writes_.template chunk_of<M>(address);
    for (std::size_t offset = 0; offset < writes_.template chunk_bytes<M>;
         offset += sync::ByteLockTable::stripe_bytes) {
      sync::ByteLock& lock = sync::byte_lock_table.of(reinterpret_cast<const void*>(chunk + offset));
      if (!lock.is_owned_by(this)) own(lock);
    }
    writes_.template write<M>(address, value);
  }

  bool extend() { return true; }

  void go_in_place() { writes_.store_at_once(true); }
  void end_in_place() { writes_.store_at_once(false); }

  template <class Captured>
  tx::CommitResult commit(sched::ThreadSlot&, const Captured& captured) {
    const bool read_only = writes_.empty();
    // Locks, behind the durable end of the undo record (trap 5).
    persistence::in_order<persistence::Step::undo_before_unlock>([&] { writes_.commit(captured); }, [&] { unlock(); });
    return read_only ? tx::CommitResult::read_only : tx::CommitResult::committed;
  }

  void roll_back(sched::ThreadSlot&) {
    writes_.roll_back();
    unlock();
  }

  /// The thread is not in this process, which was forked.
  void abandon(pool::PrivateMappings& memory) {
    writes_.abandon(memory);
    for (sync::ByteLock* lock : owned_.of_thread_left_behind()) end_own(*lock);
    if (attempted_ != nullptr) end_own(*attempted_);
    if (slot_.is_numbered()) {
      for (sync::ByteLock* lock : read_locks_.of_thread_left_behind()) lock->end_read(slot_);
      if (attempted_ != nullptr) attempted_->end_read(slot_);
    } else if (attempted_ != nullptr) {
      sync::byte_lock_table.forget_other_readers();  // a look at every lock, but few programs have so many threads
    }
    sync::reader_slots.release(slot_);
  }
  static void forget_threads() {}

  void note_reads(sync::Filter& filter) const {
    for (const sync::ByteLock* const lock : read_locks_) filter.add_number(number_of(*lock));
    for (const ReadLock& held : reading_) filter.add_number(number_of(held.lock()));
    note_writes(filter);  // and perhaps read
  }
  void note_writes(sync::Filter& filter) const {
    for (const sync::ByteLock* const lock : owned_) filter.add_number(number_of(*lock));
  }

  std::uint64_t commit_timestamp() const { return 0; }

  void release() {
    sync::reader_slots.release(slot_);
    has_slot_ = false;
    read_locks_.release();
    reading_.release();
    owned_.release();
    writes_.release();
  }

 private:
  /// A read lock that is held. The set answers whether one is, for threads without a byte of their own.
  struct ReadLock {
    static constexpr std::size_t chunk_bytes = sizeof(sync::ByteLock);
    std::uint64_t address;
    sync::ByteLock& lock() const { return *reinterpret_cast<sync::ByteLock*>(address); }
  };
  using ReadLocks = log::WriteSet<ReadLock>;

  /// Turns of the spinner, of which the last eight yield. Few, since each may hand over a whole slice of time, and
  /// nobody gets the locks held meanwhile.
  static constexpr unsigned patience = 264;

  static std::uint64_t number_of(const sync::ByteLock& lock) {
    return reinterpret_cast<std::uintptr_t>(&lock) / sizeof(lock);
  }

  bool is_reading(const sync::ByteLock& lock) {
    return slot_.is_numbered() ? lock.is_read_by(slot_) : reading_.find(ReadLocks::chunk_of(&lock)) != nullptr;
  }

  void end_own(sync::ByteLock& lock) const {
    if (lock.is_owned_by(this)) lock.end_own();
  }

  /// Before a lock is taken, which is noted behind that: of the locks of a thread that a forked child does not have it
  /// must find all.
  void attempt(sync::ByteLock& lock) {
    attempted_ = &lock;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }

  [[gnu::noinline]] static void wait_or_abort(sync::Spinner& spinner, unsigned& turns) {
    if (++turns > patience) tx::abort(tx::CommitResult::locked);
    spinner.wait();
  }

  void begin_read(sync::ByteLock& lock) {
    attempt(lock);
    sync::Spinner spinner;
    for (unsigned turns = 0; !lock.try_read(slot_);) wait_or_abort(spinner, turns);
    if (slot_.is_numbered())
      read_locks_.push_back_whole(&lock);
    else
      reading_.insert(ReadLocks::chunk_of(&lock));
    writes_.after_locked_instruction();  // of try_read
  }

  void own(sync::ByteLock& lock) {
    attempt(lock);
    sync::Spinner spinner;
    unsigned turns = 0;
    while (!lock.try_own(this)) {
      // The owner waits for this thread to end its read, so waiting for it is of no use.
      if (is_reading(lock)) tx::abort(tx::CommitResult::locked);
      wait_or_abort(spinner, turns);
    }
    owned_.push_back_whole(&lock);
    while (lock.has_other_readers(slot_, is_reading(lock))) wait_or_abort(spinner, turns);
    writes_.after_locked_instruction();  // of try_own
  }

  void unlock() {
    for (sync::ByteLock* lock : owned_) lock->end_own();
    for (sync::ByteLock* lock : read_locks_) lock->end_read(slot_);
    for (const ReadLock& held : reading_) held.lock().end_read(slot_);
    owned_.clear();
    read_locks_.clear();
    reading_.clear();
    std::atomic_signal_fence(std::memory_order_seq_cst);
    attempted_ = nullptr;
  }

  sync::ReaderSlot slot_;
  bool has_slot_ = false;
  log::GrowingArray<sync::ByteLock*> read_locks_;
  ReadLocks reading_;  // of a thread without a numbered slot
  log::GrowingArray<sync::ByteLock*> owned_;
  sync::ByteLock* attempted_ = nullptr;  // the last one
  UndoWrites<Mode, true> writes_;
};

}  // namespace perdure::algorithms

#endif
