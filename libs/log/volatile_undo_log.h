#ifndef PERDURE_LOG_VOLATILE_UNDO_LOG_H
#define PERDURE_LOG_VOLATILE_UNDO_LOG_H

#include <cstdint>
#include <cstring>

#include "log/growing_array.h"
#include "log/shared_memory.h"

namespace perdure::log {

/// Old values of memory that was changed in place and that need not survive a crash: locals of the functions around a
/// transaction, and everything under a non-durable lock.
class VolatileUndoLog {
 public:
  constexpr VolatileUndoLog() = default;

  template <class T>
  void save(T* address) {
    static_assert(sizeof(T) <= sizeof(std::uint64_t));
    std::uint64_t value = 0;
    std::memcpy(&value, address, sizeof(T));
    saved_.push_back({address, value, sizeof(T)});
  }

  /// Newest first, so that of several values saved for a location the oldest wins.
  void restore() {
    for (std::size_t i = saved_.size(); i-- > 0;) std::memcpy(saved_[i].address, &saved_[i].value, saved_[i].bytes);
    saved_.clear();
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
  GrowingArray<Saved> saved_;
};

}  // namespace perdure::log

#endif
