#ifndef PERDURE_BENCHMARKS_FANNKUCH_PERMUTATIONS_H
#define PERDURE_BENCHMARKS_FANNKUCH_PERMUTATIONS_H

#include <array>
#include <cstdint>

#include "parameters.h"

namespace perdure::benchmarks::fannkuch {

/// What is found out about all permutations.
struct Answer {
  std::int64_t checksum = 0;  // flips of the even permutations less those of the odd ones, counted from 0
  std::uint32_t most_flips = 0;

  bool operator==(const Answer&) const = default;
};

/// The bytes that are shuffled.
struct Board {
  std::array<std::uint8_t, Parameters::most_elements> elements;  // between two runs each is its own index
  std::array<std::uint8_t, Parameters::most_elements> flipped;   // a permutation that is being flipped
};

/// The first flipped[0] + 1 elements are reversed until 0 comes first.
/// \returns how often.
inline std::uint32_t flips_of(Board& board, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) board.flipped[i] = board.elements[i];
  std::uint32_t flips = 0;
  for (std::uint32_t last = board.flipped[0]; last != 0; last = board.flipped[0], ++flips) {
    for (std::uint32_t low = 0, high = last; low < high; ++low, --high) {
      const auto element = board.flipped[low];
      board.flipped[low] = board.flipped[high];
      board.flipped[high] = element;
    }
  }
  return flips;
}

/// The first `length` elements move down by one, the first of them to their end.
inline void rotate(Board& board, std::uint32_t length) {
  const auto first = board.elements[0];
  for (std::uint32_t i = 1; i < length; ++i) board.elements[i - 1] = board.elements[i];
  board.elements[length - 1] = first;
}

/// Fannkuch-redux of the Computer Language Benchmarks Game: goes through all permutations of the elements, each one
/// made of the one before. Prefixes of each length are rotated as often as they are long, so in the end all are in
/// place.
inline Answer go_through_permutations(Board& board, std::uint32_t count) {
  std::array<std::uint32_t, Parameters::most_elements> rotations{};  // of the prefix that ends at each index
  Answer answer;
  std::uint32_t last = 0;  // index of the last element of the prefix to rotate
  for (bool is_even = true; last < count; is_even = !is_even) {
    const auto flips = flips_of(board, count);
    answer.most_flips = flips > answer.most_flips ? flips : answer.most_flips;
    answer.checksum += is_even ? std::int64_t{flips} : -std::int64_t{flips};
    for (last = 1; last < count; ++last) {
      rotate(board, last + 1);
      if (++rotations[last] <= last) break;
      rotations[last] = 0;
    }
  }
  return answer;
}

}  // namespace perdure::benchmarks::fannkuch

#endif
