#ifndef PERDURE_ALLOC_SUPERBLOCK_MAP_H
#define PERDURE_ALLOC_SUPERBLOCK_MAP_H

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>

#include "alloc/reserved_array.h"
#include "pool/format.h"

namespace perdure::alloc {

/// Which superblocks are free: a bit for each. First fit from below, so that large parts at the end become free.
/// Neither taking nor releasing needs memory. Not thread-safe.
class SuperblockMap {
 public:
  SuperblockMap() : words_(pool::max_superblocks / 64) {}

  /// \returns the first of `count` adjacent superblocks below `end`, which are no longer free.
  std::optional<std::uint64_t> take(std::uint64_t count, std::uint64_t end) noexcept {
    const auto first = find(count, end);
    if (!first) return first;
    for (std::uint64_t i = *first; i < *first + count; ++i) words_[i / 64] &= ~bit(i);
    if (*first == lowest_) lowest_ = *first + count;
    free_ -= count;
    return first;
  }

  void release(std::uint64_t first, std::uint64_t count) noexcept {
    for (std::uint64_t i = first; i < first + count; ++i) words_[i / 64] |= bit(i);
    lowest_ = std::min(lowest_, first);
    free_ += count;
  }

  bool is_free(std::uint64_t number) const noexcept { return (words_[number / 64] & bit(number)) != 0; }
  /// How many superblocks before `end` are free without a gap.
  std::uint64_t free_before(std::uint64_t end) const noexcept {
    std::uint64_t first = end;
    while (first != 0 && is_free(first - 1)) --first;
    return end - first;
  }

  std::uint64_t free() const noexcept { return free_; }

 private:
  static std::uint64_t bit(std::uint64_t number) noexcept { return std::uint64_t{1} << (number % 64); }

  std::optional<std::uint64_t> find(std::uint64_t count, std::uint64_t end) noexcept {
    std::uint64_t start = lowest_;
    for (std::uint64_t i = start; i < end;) {
      const std::uint64_t bits = words_[i / 64] >> (i % 64);
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

  ReservedArray<std::uint64_t> words_;
  std::uint64_t lowest_ = 0;  // no superblock below is free
  std::uint64_t free_ = 0;
};

}  // namespace perdure::alloc

#endif
