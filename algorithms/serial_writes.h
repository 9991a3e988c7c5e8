#ifndef PERDURE_ALGORITHMS_SERIAL_WRITES_H
#define PERDURE_ALGORITHMS_SERIAL_WRITES_H

#include <algorithm>
#include <array>

#include "algorithms/log_result.h"
#include "algorithms/undo_writes.h"
#include "disk/pool_log.h"
#include "log/changes_on_disk.h"
#include "persist/step.h"
#include "pool/window.h"
#include "sched/unversioned_commits.h"
#include "tx/abort.h"
#include "tx/algorithm.h"

namespace perdure::algorithms {

/// What a serial transaction changes in place where other transactions have a redo log: code that is not instrumented
/// must see it at once, and a crash or an exception takes it back (docs/serial.md).
///
/// Invariant: in a pool with an active undo log of this kind no redo log and no record can be replayed. Before the
/// first store to a pool all of them are retired there, durably; and none comes before the undo log has ended, because
/// nobody else runs. (A pool on a disk has no undo log: see log/changes_on_disk.h.)
template <class Mode>
class SerialWrites {
 public:
  constexpr SerialWrites() = default;

  /// Leaves by `abort` when the log cannot be written: nothing can fail later.
  template <tx::Memory M, class T>
  void write(T* address, T value) {
    if constexpr (Mode::durable && M == tx::Memory::pool) {
      if (disk::has_logs() && disk::log_of(address) != nullptr) return write_on_disk(address, value);
      if (!on_disk_.empty()) tx::abort(tx::CommitResult::pools_on_disks);
      retire_older(address);
    }
    undo_.template write<M>(address, value);
  }

  template <class Captured>
  void commit(const Captured& captured) {
    if (disk::has_logs()) {
      // Before what may link them in.
      log::note_blocks(captured);
      disk::PoolLog::await_noted();
    }
    undo_.commit(captured);
    on_disk_.commit();
    sched::note_unversioned_commits();
    is_retired_.fill(false);
  }

  void roll_back() {
    undo_.roll_back();
    on_disk_.roll_back();
    is_retired_.fill(false);
  }

  /// The thread is not in this process, which was forked.
  void abandon(pool::PrivateMappings& memory) { undo_.abandon(memory); }

  void release() {
    undo_.release();
    on_disk_.release();
  }

 private:
  template <class T>
  void write_on_disk(T* address, T value) {
    const bool wrote_elsewhere = std::ranges::find(is_retired_, true) != is_retired_.end();
    const log::LogResult result =
        wrote_elsewhere ? log::LogResult::several_pools : on_disk_.save(*disk::log_of(address), address);
    if (result != log::LogResult::written) tx::abort(result_of(result));
    log::store_shared(address, value);
  }

  void retire_older(const void* address) {
    bool& is_retired = is_retired_[pool::slot_of(address)];
    if (is_retired) return;
    is_retired = true;
    persistence::perform<persistence::Step::older_retired>([&] { Mode::Journal::retire_older(address); });
  }

  UndoWrites<Mode> undo_;
  log::ChangesOnDisk on_disk_;
  std::array<bool, pool::slot_count> is_retired_{};  // by slot
};

}  // namespace perdure::algorithms

#endif
