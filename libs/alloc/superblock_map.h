#ifndef PERDURE_ALLOC_SUPERBLOCK_MAP_H
#define PERDURE_ALLOC_SUPERBLOCK_MAP_H

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>

#include "alloc/reserved_array.h"
#include "pool/format.h"

namespace perdure::alloc {

/// Superblocks that follow each other.
struct Extent {
  std::uint64_t first;
  std::uint64_t count;
};

/// Which superblocks are free, and which of these have no disk space: two bits for each. First fit from below, so that
/// large parts at the end become free. Neither taking nor releasing needs memory. Not thread-safe.
class SuperblockMap {
 public:
  explicit SuperblockMap(std::uint64_t superblocks) : words_(superblocks / 64), holes_(superblocks / 64) {}

  /// \returns the first of `count` adjacent free superblocks below `end`.
  std::optional<std::uint64_t> find(std::uint64_t count, std::uint64_t end) const noexcept {
    return find_in(count, end, [this](std::uint64_t i) { return words_[i]; });
  }
  /// The same among those that have disk space.
  std::optional<std::uint64_t> find_with_space(std::uint64_t count, std::uint64_t end) const noexcept {
    return find_in(count, end, [this](std::uint64_t i) { return with_space(i); });
  }

  /// The highest superblocks from `begin` on that are free and have disk space, at most `most`: those that follow each
  /// other. None: an extent of 0.
  Extent highest_with_space(std::uint64_t begin, std::uint64_t end, std::uint64_t most) const noexcept {
    for (std::uint64_t last = end; last > begin; --last) {
      const std::uint64_t i = last - 1;
      if (i % 64 == 63 && with_space(i / 64) == 0 && i - begin >= 63) {
        last -= 63;
        continue;
      }
      if ((with_space(i / 64) & bit(i)) == 0) continue;
      std::uint64_t first = i;
      while (first > begin && last - first < most && (with_space((first - 1) / 64) & bit(first - 1)) != 0) --first;
      return {first, last - first};
    }
    return {0, 0};
  }

  /// They are free.
  void take(std::uint64_t first, std::uint64_t count) noexcept {
    for (std::uint64_t i = first; i < first + count; ++i) words_[i / 64] &= ~bit(i);
    if (first == lowest_) lowest_ = first + count;
    free_ -= count;
  }
  void release(std::uint64_t first, std::uint64_t count) noexcept {
    for (std::uint64_t i = first; i < first + count; ++i) words_[i / 64] |= bit(i);
    lowest_ = std::min(lowest_, first);
    free_ += count;
  }

  bool is_free(std::uint64_t number) const noexcept { return (words_[number / 64] & bit(number)) != 0; }
  bool is_hole(std::uint64_t number) const noexcept { return (holes_[number / 64] & bit(number)) != 0; }
  void set_hole(std::uint64_t number, bool is_now) noexcept {
    if (is_hole(number) == is_now) return;
    holes_[number / 64] ^= bit(number);
    is_now ? ++hole_count_ : --hole_count_;
  }

  /// How many superblocks before `end` are free without a gap.
  std::uint64_t free_before(std::uint64_t end) const noexcept {
    std::uint64_t first = end;
    while (first != 0 && is_free(first - 1)) --first;
    return end - first;
  }
  /// And have disk space.
  std::uint64_t with_space_before(std::uint64_t end) const noexcept {
    std::uint64_t first = end;
    while (first != 0 && is_free(first - 1) && !is_hole(first - 1)) --first;
    return end - first;
  }

  std::uint64_t free() const noexcept { return free_; }
  std::uint64_t holes() const noexcept { return hole_count_; }

 private:
  static std::uint64_t bit(std::uint64_t number) noexcept { return std::uint64_t{1} << (number % 64); }
  std::uint64_t with_space(std::uint64_t word) const noexcept { return words_[word] & ~holes_[word]; }

  template <class Word>
  std::optional<std::uint64_t> find_in(std::uint64_t count, std::uint64_t end, Word&& word) const noexcept {
    std::uint64_t start = lowest_;
    for (std::uint64_t i = start; i < end;) {
      const std::uint64_t bits = word(i / 64) >> (i % 64);
      const std::uint64_t left = 64 - i % 64;
      if ((bits & 1) == 0) {
        i += bits == 0 ? left : static_cast<std::uint64_t>(std::countr_zero(bits));
        start = i;
        continue;
      }
      i += std::min(static_cast<std::uint64_t>(std::countr_one(bits)), left);
      if (i - start >= count) return start;
    }
    return std::nullopt;
  }

  ReservedArray<std::uint64_t> words_;  // 1: free
  ReservedArray<std::uint64_t> holes_;  // 1: without disk space
  std::uint64_t lowest_ = 0;            // no superblock below is free
  std::uint64_t free_ = 0;
  std::uint64_t hole_count_ = 0;
};

}  // namespace perdure::alloc

#endif
