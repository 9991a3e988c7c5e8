#ifndef PERDURE_ALGORITHMS_SERIAL_WRITES_H
#define PERDURE_ALGORITHMS_SERIAL_WRITES_H

#include <array>

#include "algorithms/undo_writes.h"
#include "persist/fault.h"
#include "pool/window.h"
#include "tx/algorithm.h"

namespace perdure::algorithms {

/// What a serial transaction changes in place where other transactions have a redo log: code that is not instrumented
/// must see it at once, and a crash or an exception takes it back (docs/serial.md).
///
/// Invariant: in a pool with an active undo log of this kind no redo log and no record can be replayed. Before the
/// first store to a pool all of them are retired there, durably; and none comes before the undo log has ended, because
/// nobody else runs.
template <class Mode>
class SerialWrites {
 public:
  constexpr SerialWrites() = default;

  /// Leaves by `abort` when the log cannot be written: nothing can fail later.
  template <tx::Memory M, class T>
  void write(T* address, T value) {
    if constexpr (Mode::durable && M == tx::Memory::pool) retire_older(address);
    undo_.template write<M>(address, value);
  }

  template <class Captured>
  void commit(const Captured& captured) {
    undo_.commit(captured);
    is_retired_.fill(false);
  }

  void roll_back() {
    undo_.roll_back();
    is_retired_.fill(false);
  }

  /// The thread is not in this process, which was forked.
  void abandon(pool::PrivateMappings& memory) { undo_.abandon(memory); }

  void release() { undo_.release(); }

 private:
  void retire_older(const void* address) {
    bool& is_retired = is_retired_[pool::slot_of(address)];
    if (is_retired || persist::is_seeded(persist::Fault::serial_before_retired)) return;
    is_retired = true;
    Mode::Journal::retire_older(address);
  }

  UndoWrites<Mode> undo_;
  std::array<bool, pool::slot_count> is_retired_{};  // by slot
};

}  // namespace perdure::algorithms

#endif
