#ifndef PERDURE_PERSIST_DURABLE_H
#define PERDURE_PERSIST_DURABLE_H

#include <atomic>
#include <cstddef>

#include "persist/domain.h"

/// Changes of a pool that are durable by themselves: of its header, directory, descriptors, layouts, watermark, and
/// whatever recovery, relocation and compaction write. No log of a transaction vouches for them, and nothing else is
/// used for them; so what a pool on a disk needs instead of a flush, a record in its log, is made from here. The range
/// says which pool it is about: its address lies in that pool's slot (pool/window.h).
namespace perdure::persistence {

/// Where changes go of pools that lie on a disk with a log (disk/pool_log.h).
struct ChangeLog {
  /// \returns false when the range is in no such pool.
  bool (*note)(const void* address, std::size_t bytes) noexcept;
  /// All that this thread has noted is durable when it returns, or its log is poisoned.
  void (*complete)() noexcept;
};

/// Null until the first such pool is open. Acquire pairs with the release of who sets it.
inline constinit std::atomic<const ChangeLog*> change_log{nullptr};

/// A part of a change: durable after this thread's next `complete_changes`, and not ordered against other parts.
[[gnu::always_inline]] inline void note_change(const void* address, std::size_t bytes) noexcept {
  if (const ChangeLog* const log = change_log.load(std::memory_order_acquire); log != nullptr) [[unlikely]]
    if (log->note(address, bytes)) return;
  flush(address, bytes);
}

/// All that this thread has noted is durable when it returns.
[[gnu::always_inline]] inline void complete_changes() noexcept {
  fence();
  if (const ChangeLog* const log = change_log.load(std::memory_order_acquire); log != nullptr) [[unlikely]]
    log->complete();
}

/// What [address, address + bytes) holds is durable when it returns.
[[gnu::always_inline]] inline void make_durable(const void* address, std::size_t bytes) noexcept {
  note_change(address, bytes);
  complete_changes();
}
template <class T>
[[gnu::always_inline]] inline void make_durable(const T& object) noexcept {
  make_durable(&object, sizeof object);
}

/// For recovery: what lies there was found, not stored. A process that was killed may have stored it without making it
/// durable; what is believed of it now must be what the next recovery finds. May be about a file that is not a pool of
/// this process, too, mapped anywhere. Durable after the next `complete_changes`.
[[gnu::always_inline]] inline void settle(const void* address, std::size_t bytes) noexcept { flush(address, bytes); }

}  // namespace perdure::persistence

#endif
