#ifndef PERDURE_BENCHMARKS_MEMCACHED_DECIMAL_H
#define PERDURE_BENCHMARKS_MEMCACHED_DECIMAL_H

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "perdure/attributes.h"
#include "words.h"

namespace perdure::benchmarks::memcached {

inline constexpr std::size_t longest_number = 20;  // digits of 2^64 - 1

/// A number as text, by value.
struct Digits {
  std::array<char, longest_number> characters;
  std::size_t size = 0;

  std::string_view text() const { return {characters.data(), size}; }
};

PERDURE_PURE inline Digits digits_of(std::uint64_t number) {
  Digits digits;
  const auto written = std::to_chars(digits.characters.begin(), digits.characters.end(), number);
  digits.size = static_cast<std::size_t>(written.ptr - digits.characters.begin());
  return digits;
}

/// The number that a value says, blanks before and behind it aside.
/// \param value  in the caller's frame.
PERDURE_PURE inline std::optional<std::uint64_t> number_of_value(std::string_view value) {
  const auto begin = std::min(value.find_first_not_of(' '), value.size());
  const auto end = std::min(value.find(' ', begin), value.size());
  return number_in<std::uint64_t>(value.substr(begin, end - begin));
}

}  // namespace perdure::benchmarks::memcached

#endif
