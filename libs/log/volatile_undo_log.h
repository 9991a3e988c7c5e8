#ifndef PERDURE_LOG_VOLATILE_UNDO_LOG_H
#define PERDURE_LOG_VOLATILE_UNDO_LOG_H

#include <cstdint>

#include "log/growing_array.h"
#include "log/shared_memory.h"
#include "pool/private_mappings.h"

namespace perdure::log {

/// Old values of memory that was changed in place and that need not survive a crash: locals of the functions around a
/// transaction, and everything under a non-durable lock.
class VolatileUndoLog {
 public:
  constexpr VolatileUndoLog() = default;

  template <class T>
  void save(T* address) {
    static_assert(sizeof(T) <= sizeof(std::uint64_t));
    saved_.push_back_whole({address, load_shared(address), sizeof(T)});
  }

  /// Newest first, so that of several values saved for a location the oldest wins.
  void restore() {
    for (std::size_t i = saved_.size(); i-- > 0;) restore(saved_[i]);
    saved_.clear();
  }

  /// In a forked child that does not have the thread, and so has none of its locks either. What was restored already,
  /// before the log was cleared, is restored again.
  void restore_for_thread_left_behind(pool::PrivateMappings& memory) const {
    const std::span<const Saved> saved = saved_.of_thread_left_behind();
    for (std::size_t i = saved.size(); i-- > 0;)
      if (memory.hold(reinterpret_cast<std::uintptr_t>(saved[i].address), saved[i].bytes)) restore(saved[i]);
  }

  bool empty() const { return saved_.empty(); }
  void clear() { saved_.clear(); }
  void release() { saved_.release(); }

 private:
  struct Saved {
    void* address;
    std::uint64_t value;
    std::size_t bytes;
  };

  /// Other transactions may be reading the location: they find out that they must not use the value.
  static void restore(const Saved& saved) {
    switch (saved.bytes) {
      case 1:
        return store_shared(static_cast<std::uint8_t*>(saved.address), static_cast<std::uint8_t>(saved.value));
      case 2:
        return store_shared(static_cast<std::uint16_t*>(saved.address), static_cast<std::uint16_t>(saved.value));
      case 4:
        return store_shared(static_cast<std::uint32_t*>(saved.address), static_cast<std::uint32_t>(saved.value));
      default:
        return store_shared(static_cast<std::uint64_t*>(saved.address), saved.value);
    }
  }

  GrowingArray<Saved> saved_;
};

}  // namespace perdure::log

#endif
