#ifndef PERDURE_ALGORITHMS_UNDO_WRITES_H
#define PERDURE_ALGORITHMS_UNDO_WRITES_H

#include <cstddef>
#include <cstdint>

#include "algorithms/log_result.h"
#include "log/journal.h"
#include "log/volatile_undo_log.h"
#include "persist/domain.h"
#include "persist/step.h"
#include "tx/abort.h"
#include "tx/algorithm.h"

namespace perdure::algorithms {

/// What an eager transaction changes in place, by kind of memory, and how it is taken back: pool memory through the
/// durable log where the mode is durable, other memory through a volatile one. Whatever the mode, an algorithm sees the
/// same interface.
/// \tparam EveryAccessLocks  every access of the algorithm begins with a locked instruction or finds the location
/// owned: fence pipelining is possible.
template <class Mode, bool EveryAccessLocks = false>
class UndoWrites {
  using Journal = typename Mode::template UndoJournal<EveryAccessLocks && Mode::fence_pipelining>;
  static_assert(log::UndoJournal<Journal>);

  template <tx::Memory M>
  static constexpr bool is_durable = Mode::durable && M == tx::Memory::pool;

 public:
  constexpr UndoWrites() = default;

  /// What must be owned before a write: the chunk that is saved as a whole.
  template <tx::Memory M>
  static constexpr std::size_t chunk_bytes = is_durable<M> ? Mode::granularity : sizeof(std::uint64_t);

  template <tx::Memory M>
  static std::uintptr_t chunk_of(const void* address) {
    return reinterpret_cast<std::uintptr_t>(address) & ~(chunk_bytes<M> - 1);
  }

  bool empty() const { return durable_.empty() && volatile_.empty(); }

  /// Leaves by `abort` when the log cannot be written.
  template <tx::Memory M, class T>
  void write(T* address, T value) {
    if constexpr (is_durable<M>) {
      const log::LogResult result = durable_.write(address, value);
      if (result != log::LogResult::written) [[unlikely]]
        tx::abort(result_of(result));
    } else {
      volatile_.save(address);
      log::store_shared(address, value);
    }
  }

  void after_locked_instruction() { durable_.after_locked_instruction(); }

  void store_at_once(bool at_once) { durable_.store_at_once(at_once); }

  template <class T>
  void before_read(const T* address) {
    durable_.before_read(address);
  }

  /// Everything written is durable, and cannot be undone any more.
  template <class Captured>
  void commit(const Captured& captured) {
    volatile_.clear();
    if constexpr (Mode::durable) {
      if (!durable_.empty()) {
        return persistence::in_order<persistence::Step::data_before_end>([&] { durable_.complete(captured); },
                                                                         [&] { durable_.retire(); });
      }
      if (captured.empty()) return;
      // Nothing was changed but blocks that the transaction allocated; a later one may link them in as they are.
      captured.flush();
      persistence::fence();
    }
  }

  void roll_back() {
    volatile_.restore();
    durable_.withdraw();
  }

  /// The thread is not in this process, which was forked. Pools are not either.
  void abandon(pool::PrivateMappings& memory) { volatile_.restore_for_thread_left_behind(memory); }

  void release() {
    volatile_.release();
    durable_.release();
  }

 private:
  log::VolatileUndoLog volatile_;
  Journal durable_;
};

}  // namespace perdure::algorithms

#endif
