#ifndef PERDURE_PERSIST_LINES_H
#define PERDURE_PERSIST_LINES_H

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "persist/durable.h"

/// Flushing each line once of which several words were changed. Neighbours are often written one after another, so to
/// remember the last line goes a long way.
namespace perdure::persistence {

/// Remembers lines: the last that came to each of `places`, of which it chooses one by the line. To forget them is to
/// begin a new round, whose number is kept in the low bits of a line's address.
template <std::size_t places>
class RecentLines {
  static_assert(std::has_single_bit(places));

 public:
  constexpr RecentLines() = default;
  void clear() {
    round_ = (round_ + 1) % line_bytes;
    if (round_ == 0) lines_ = {};
  }

  /// \returns whether the line was not among those it remembers.
  bool insert(std::uintptr_t line) {
    std::uintptr_t& place = lines_[index_of(line)];
    const std::uintptr_t in_this_round = line | round_;
    if (place == in_this_round) return false;
    place = in_this_round;
    return true;
  }

 private:
  static constexpr std::size_t index_of(std::uintptr_t line) {
    if constexpr (places == 1)
      return 0;
    else
      return line / line_bytes * 0x9e3779b97f4a7c15U >> (64 - std::countr_zero(places));
  }

  std::array<std::uintptr_t, places> lines_{};
  std::uintptr_t round_ = 0;
};

/// Flushes data that was stored before: nothing is stored to a line between its flush and the fence.
template <std::size_t places = 1>
class StoredLines {
 public:
  constexpr StoredLines() = default;
  void clear() { recent_.clear(); }

  /// \returns whether the line was flushed: not where it had just been.
  [[gnu::always_inline]] bool flush(std::uintptr_t address) {
    const std::uintptr_t line = line_of(address);
    if (!recent_.insert(line)) return false;
    flush_data(line);
    return true;
  }

 private:
  RecentLines<places> recent_;
};

/// Flushes lines while they are being changed: each when the next one begins, since a flush covers what was stored
/// before it. `Flush` is called with a line.
template <class Flush>
class LinesInProgress {
 public:
  explicit LinesInProgress(Flush flush) : flush_(flush) {}
  LinesInProgress(const LinesInProgress&) = delete;
  LinesInProgress& operator=(const LinesInProgress&) = delete;
  [[gnu::always_inline]] ~LinesInProgress() { flush_last(); }

  [[gnu::always_inline]] void changed(std::uintptr_t address) {
    const std::uintptr_t line = line_of(address);
    if (line == last_) return;
    flush_last();
    last_ = line;
  }

 private:
  [[gnu::always_inline]] void flush_last() {
    if (last_ != 0) flush_(last_);
  }

  Flush flush_;
  std::uintptr_t last_ = 0;
};

}  // namespace perdure::persistence

#endif
