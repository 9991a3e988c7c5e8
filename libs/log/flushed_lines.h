#ifndef PERDURE_LOG_FLUSHED_LINES_H
#define PERDURE_LOG_FLUSHED_LINES_H

#include <array>
#include <cstddef>
#include <cstdint>

#include "persist/domain.h"

namespace perdure::log {

/// Remembers lines that were flushed: some of them, so that most are flushed once in a batch.
class FlushedLines {
 public:
  constexpr FlushedLines() = default;
  void clear() { lines_ = {}; }
  bool insert(std::uintptr_t line) {
    std::uintptr_t& place = lines_[line / persist::line_bytes * 0x9e3779b97f4a7c15U >> (64 - index_bits)];
    if (place == line) return false;
    place = line;
    return true;
  }

 private:
  static constexpr unsigned index_bits = 8;
  std::array<std::uintptr_t, std::size_t{1} << index_bits> lines_{};
};

}  // namespace perdure::log

#endif
