#ifndef PERDURE_ALGORITHMS_LOCK_LAZY_H
#define PERDURE_ALGORITHMS_LOCK_LAZY_H

#include <cstdint>

#include "algorithms/mode.h"
#include "algorithms/redo_writes.h"
#include "persist/domain.h"
#include "sync/clock.h"
#include "sync/ticket_lock.h"
#include "tx/algorithm.h"

namespace perdure::algorithms {

/// One global lock, redo log. Never aborts by itself. (PACT'19, section III.C.)
template <class ModeType, persist::Domain Domain>
class LockLazy {
 public:
  using Mode = ModeType;
  static constexpr tx::Traits traits{.needs_quiescence = false, .has_doomed_readers = false, .writes_in_place = false};

  constexpr LockLazy() = default;

  std::uint64_t begin(sched::ThreadSlot&) {
    global_lock.lock();
    return 0;
  }

  template <tx::Memory M, class T>
  T read(const T* address) {
    return writes_.template read<M>(address, read_memory);
  }

  template <tx::Memory M, class T>
  void write(T* address, T value) {
    writes_.template write<M>(address, value,
                              [](std::uintptr_t chunk, auto& words) { log::fill_words(chunk, words, read_memory); });
  }

  bool extend() { return true; }

  template <class Captured>
  tx::CommitResult commit(sched::ThreadSlot& slot, const Captured& captured) {
    if (writes_.empty()) {
      writes_.flush_captured(captured);
      commit_timestamp_ = sync::commit_clock.now();
      global_lock.unlock();
      return tx::CommitResult::read_only;
    }
    // The order of the commits is that of the lock; the clock gives it numbers, by which logs are retired and replayed.
    writes_.announce(slot, captured, sync::commit_clock.now());
    commit_timestamp_ = sync::commit_clock.tick();
    if (const auto failure = writes_.prepare(captured); failure != tx::CommitResult::committed) return failure;
    writes_.commit(commit_timestamp_, slot, [] { global_lock.unlock(); });
    writes_.clear();
    return tx::CommitResult::committed;
  }

  void roll_back(sched::ThreadSlot& slot) {
    writes_.withdraw(slot);
    writes_.clear();
    global_lock.unlock();
  }

  std::uint64_t commit_timestamp() const { return commit_timestamp_; }
  void release() { writes_.release(); }

 private:
  static constexpr auto read_memory = [](const auto* from) { return *from; };

  static inline constinit sync::TicketLock global_lock;
  std::uint64_t commit_timestamp_ = 0;
  RedoWrites<Mode, Domain> writes_;
};

}  // namespace perdure::algorithms

#endif
