#ifndef PERDURE_ALGORITHMS_OREC_LAZY_H
#define PERDURE_ALGORITHMS_OREC_LAZY_H

#include <cstdint>

#include "algorithms/mode.h"
#include "algorithms/redo_writes.h"
#include "log/growing_array.h"
#include "log/redo_memory.h"
#include "log/shared_memory.h"
#include "sync/clock.h"
#include "sync/orec_table.h"
#include "tx/abort.h"
#include "tx/algorithm.h"

namespace perdure::algorithms {

/// Ownership records, redo log, locks taken at commit, timestamps with extension. (Spear et al., PPoPP'09; Dice et al.,
/// TL2; PACT'19, Listing 1, left column.)
///
/// Invariant (opacity): all values read so far are those of time `start_`. A location whose orec is newer is used only
/// after the start time has been extended past it, which re-validates everything read.
template <class ModeType, persist::Domain Domain>
class OrecLazy {
 public:
  using Mode = ModeType;
  static constexpr tx::Traits traits{.needs_quiescence = true, .has_doomed_readers = true, .writes_in_place = false};

  constexpr OrecLazy() = default;

  std::uint64_t begin(sched::ThreadSlot& slot) {
    start_ = sync::commit_clock.now();
    // Sequentially consistent: a thread that frees or privatises memory after this sees that the transaction runs. An
    // older start time than necessary only makes it wait longer.
    slot.running_since.store(start_, std::memory_order_seq_cst);
    return start_;
  }

  template <tx::Memory M, class T>
  T read(const T* address) {
    return log::read_through(writes_.template to<M>(), address, [&](const T* from) { return consistent_read(from); });
  }

  template <tx::Memory M, class T>
  void write(T* address, T value) {
    log::write_through(writes_.template to<M>(), address, value,
                       [&](std::uintptr_t chunk, auto& words) { consistent_fill(chunk, words); });
  }

  template <class Captured>
  tx::CommitResult commit(sched::ThreadSlot& slot, const Captured& captured) {
    if (writes_.empty()) {
      writes_.flush_captured(captured);
      commit_timestamp_ = start_;
      reset();
      return tx::CommitResult::read_only;
    }
    if (!acquire_locks()) return tx::CommitResult::locked;
    writes_.announce(slot, sync::commit_clock.now());
    commit_timestamp_ = sync::commit_clock.tick();
    // Nobody else committed since the start: everything read is still valid.
    if (commit_timestamp_ != start_ + 1 && !is_valid()) return tx::CommitResult::validation;
    if (const auto failure = writes_.prepare(captured); failure != tx::CommitResult::committed) return failure;
    writes_.commit(commit_timestamp_, slot, [this] { release_locks(); });
    reset();
    return tx::CommitResult::committed;
  }

  void roll_back(sched::ThreadSlot& slot) {
    for (const Lock& lock : locks_) lock.orec->store(lock.previous, std::memory_order_release);
    locks_.clear();
    writes_.withdraw(slot);
    reset();
  }

  std::uint64_t commit_timestamp() const { return commit_timestamp_; }

  void release() {
    reads_.release();
    locks_.release();
    writes_.release();
  }

 private:
  struct Lock {
    sync::Orec* orec;
    sync::OrecValue previous;
  };

  /// ConsistentRead of Listing 1, line 17.
  template <class T>
  T consistent_read(const T* address) {
    sync::Orec& orec = sync::orec_table.of(address);
    for (;;) {
      const sync::OrecValue before = orec.load(std::memory_order_acquire);
      // Acquire: if the value comes from a write-back, the orec read below is the one that its writer locked, or a
      // later one.
      const T value = log::load_shared(address);
      const sync::OrecValue after = orec.load(std::memory_order_relaxed);
      if (before == after && !before.is_locked() && before.commit_timestamp() <= start_) [[likely]] {
        reads_.push_back(&orec);
        return value;
      }
      wait_or_extend(after);
    }
  }

  /// All words of a chunk at one time.
  template <class Words>
  void consistent_fill(std::uintptr_t chunk, Words& words) {
    const auto* const source = reinterpret_cast<const std::uint64_t*>(chunk);
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = consistent_read(source + i);
  }

  /// The orec is locked, or newer than the start, or just changed.
  [[gnu::noinline]] void wait_or_extend(sync::OrecValue orec) {
    if (orec.is_locked()) tx::abort(stats::AbortReason::locked);
    if (orec.commit_timestamp() > start_ && !extend()) tx::abort(stats::AbortReason::validation);
  }

  /// Moves the start time to now, if everything read is still as it was.
  bool extend() {
    const std::uint64_t now = sync::commit_clock.now();  // before validating: what commits meanwhile is newer than this
    if (!is_valid()) return false;
    start_ = now;
    stats::counters.extensions.add(1);
    return true;
  }

  bool is_valid() const {
    for (const sync::Orec* orec : reads_) {
      const sync::OrecValue value = orec->load(std::memory_order_acquire);
      // An orec that this transaction has locked was not newer than the start when it was locked.
      if (value.is_locked() ? !value.is_locked_by(this) : value.commit_timestamp() > start_) return false;
    }
    return true;
  }

  bool acquire_locks() {
    return writes_.for_each_address([this](std::uintptr_t address, std::size_t bytes) {
      for (std::uintptr_t stripe = address; stripe < address + bytes; stripe += sync::OrecTable::stripe_bytes)
        if (!acquire_lock(sync::orec_table.of(reinterpret_cast<const void*>(stripe)))) return false;
      return true;
    });
  }

  bool acquire_lock(sync::Orec& orec) {
    sync::OrecValue value = orec.load(std::memory_order_acquire);
    if (value.is_locked()) return value.is_locked_by(this);
    if (value.commit_timestamp() > start_ && !extend()) return false;
    // Acquire: write-back comes after. Release: pairs with the readers' acquire in load_shared through the stores that
    // follow.
    if (!orec.compare_exchange_strong(value, sync::OrecValue::locked_by(this), std::memory_order_acq_rel)) return false;
    locks_.push_back({&orec, value});
    return true;
  }

  void release_locks() {
    const sync::OrecValue released = sync::OrecValue::version(commit_timestamp_);
    // Release: whoever sees the new version sees the written-back values.
    for (const Lock& lock : locks_) lock.orec->store(released, std::memory_order_release);
    locks_.clear();
  }

  void reset() {
    reads_.clear();
    writes_.clear();
  }

  std::uint64_t start_ = 0;
  std::uint64_t commit_timestamp_ = 0;
  log::GrowingArray<sync::Orec*> reads_;
  log::GrowingArray<Lock> locks_;
  RedoWrites<Mode, Domain> writes_;
};

}  // namespace perdure::algorithms

#endif
