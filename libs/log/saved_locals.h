#ifndef PERDURE_LOG_SAVED_LOCALS_H
#define PERDURE_LOG_SAVED_LOCALS_H

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "log/growing_array.h"

namespace perdure::log {

/// What locals of the function that runs a transaction held when it began: those that the transaction writes directly.
/// No other thread can reach them.
class SavedLocals {
 public:
  constexpr SavedLocals() = default;

  void save(void* local, std::size_t bytes) {
    for (std::size_t offset = 0; offset < bytes; offset += sizeof(std::uint64_t)) {
      Piece& piece = pieces_.append();
      piece.address = static_cast<std::byte*>(local) + offset;
      piece.bytes = std::min(sizeof piece.value, bytes - offset);
      std::memcpy(&piece.value, piece.address, piece.bytes);
    }
  }

  /// Newest first, so that of several values saved for a location the oldest wins.
  void restore() { restore_since(0); }

  std::size_t size() const { return pieces_.size(); }
  /// Those that came since there were `count`.
  void restore_since(std::size_t count) {
    for (; pieces_.size() > count; pieces_.pop_back())
      std::memcpy(pieces_.back().address, &pieces_.back().value, pieces_.back().bytes);
  }

  void clear() { pieces_.clear(); }
  void release() { pieces_.release(); }

 private:
  struct Piece {
    void* address;
    std::uint64_t value;
    std::size_t bytes;
  };
  GrowingArray<Piece> pieces_;
};

}  // namespace perdure::log

#endif
