#ifndef PERDURE_LOG_CHANGE_HISTORY_H
#define PERDURE_LOG_CHANGE_HISTORY_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "log/growing_array.h"

namespace perdure::log {

/// Memory from `begin` up to `end`.
struct Range {
  std::uintptr_t begin;
  std::uintptr_t end;
};

/// Which places updates have changed, in their order: the physical logs of all states since (EuroSys'20, Algorithm 1),
/// without values, for the copy that counts has these. Copies that lag behind say up to where they have everything.
class ChangeHistory {
 public:
  /// How much came before, since the beginning.
  struct Position {
    std::size_t chunks = 0;
    std::size_t blocks = 0;

    bool operator==(const Position&) const = default;
  };

  constexpr ChangeHistory() = default;

  Position end() const { return {begin_.chunks + chunks_.size(), begin_.blocks + blocks_.size()}; }

  /// Takes them: both are empty when it returns.
  void append(GrowingArray<std::uintptr_t>& chunks, GrowingArray<Range>& blocks) {
    take(chunks_, chunks);
    take(blocks_, blocks);
  }

  std::span<const std::uintptr_t> chunks_since(const Position& position) const {
    return std::span(chunks_.begin(), chunks_.size()).subspan(position.chunks - begin_.chunks);
  }
  std::span<const Range> blocks_since(const Position& position) const {
    return std::span(blocks_.begin(), blocks_.size()).subspan(position.blocks - begin_.blocks);
  }

  /// Nobody asks for them any more. What is moved was appended since the last time that anything was: so the work is
  /// in proportion to what is appended.
  void forget_before(const Position& position) {
    begin_.chunks += forget_first(chunks_, position.chunks - begin_.chunks);
    begin_.blocks += forget_first(blocks_, position.blocks - begin_.blocks);
  }

  void clear() {
    chunks_.clear();
    blocks_.clear();
    begin_ = {};
  }

 private:
  template <class T>
  static void take(GrowingArray<T>& to, GrowingArray<T>& from) {
    // A swap of arrays that were just written to waits until these stores, and the flushes before them, are done: the
    // compiler reads in one piece what was stored in two.
    constexpr std::size_t few = 64;
    if (to.empty() && from.size() > few) {
      std::swap(to, from);
    } else {
      for (const T& each : from) to.push_back(each);
      from.clear();
    }
  }

  /// \returns how many are gone: all, or none while most have to stay.
  template <class T>
  static std::size_t forget_first(GrowingArray<T>& array, std::size_t count) {
    if (count < array.size() - array.size() / 2) return 0;
    std::copy(array.begin() + count, array.end(), array.begin());
    array.truncate(array.size() - count);
    return count;
  }

  GrowingArray<std::uintptr_t> chunks_;
  GrowingArray<Range> blocks_;
  Position begin_;
};

}  // namespace perdure::log

#endif
