#ifndef PERDURE_PERSIST_DURABLE_H
#define PERDURE_PERSIST_DURABLE_H

#include <cstddef>

#include "persist/domain.h"

/// Changes of a pool that are durable by themselves: of its header, directory, descriptors, layouts, watermark, and
/// whatever recovery, relocation and compaction write. No log of a transaction vouches for them, and nothing else is
/// used for them; so a domain that has to do more than flush (write a range's bytes to the log of a disk, say) does it
/// here. The range says which pool it is about: its address lies in that pool's slot (pool/window.h).
namespace perdure::persist {

/// A part of a change: durable after this thread's next `complete_changes`, and not ordered against other parts.
[[gnu::always_inline]] inline void note_change(const void* address, std::size_t bytes) noexcept {
  flush(address, bytes);
}

/// All that this thread has noted is durable when it returns.
[[gnu::always_inline]] inline void complete_changes() noexcept { fence(); }

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

}  // namespace perdure::persist

#endif
