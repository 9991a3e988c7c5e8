#ifndef PERDURE_SYNC_FILTER_H
#define PERDURE_SYNC_FILTER_H

#include <array>
#include <cstddef>
#include <cstdint>

namespace perdure::sync {

/// A set of memory locations that may answer "contained" too often: a Bloom filter of 1024 bits with one hash function.
/// So two sets may have a location in common if their filters have a bit in common, and cannot otherwise.
class Filter {
 public:
  static constexpr std::size_t words = 16;
  static constexpr std::size_t granule_bytes = 32;

  void add(std::uintptr_t address) { add_number(address / granule_bytes); }
  void add(std::uintptr_t address, std::size_t bytes) {
    for (std::uintptr_t granule = address; granule < address + bytes; granule += granule_bytes) add(granule);
  }

  /// What stands for locations where something else than their addresses does.
  void add_number(std::uint64_t number) {
    const std::uint64_t bit = hash(number);
    words_[bit / 64] |= std::uint64_t{1} << (bit % 64);
  }

  void add_everything() { words_.fill(~std::uint64_t{0}); }

  std::uint64_t word(std::size_t i) const { return words_[i]; }
  void clear() { words_ = {}; }

 private:
  // Fibonacci hashing: the high bits of the product are the well-mixed ones.
  static std::uint64_t hash(std::uint64_t number) { return number * 0x9e3779b97f4a7c15U >> 54; }

  std::array<std::uint64_t, words> words_{};
};

}  // namespace perdure::sync

#endif
