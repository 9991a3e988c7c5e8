#ifndef PERDURE_BENCHMARKS_MEMCACHED_WORDS_H
#define PERDURE_BENCHMARKS_MEMCACHED_WORDS_H

#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

namespace perdure::benchmarks::memcached {

/// Splits a line at its blanks.
inline void split(std::string_view line, std::vector<std::string_view>& words) {
  words.clear();
  for (std::size_t begin = 0; (begin = line.find_first_not_of(' ', begin)) != std::string_view::npos;) {
    const auto end = std::min(line.find(' ', begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = end;
  }
}

/// A decimal number that fills the word and fits into its type.
template <class Integer>
std::optional<Integer> number_in(std::string_view word) {
  Integer number;
  const auto [end, error] = std::from_chars(word.begin(), word.end(), number);
  if (error != std::errc() || end != word.end()) return std::nullopt;
  return number;
}

/// Puts the number in `word` into `to`.
/// \returns whether there is one.
template <class Integer>
bool read_number(std::string_view word, Integer& to) {
  const auto number = number_in<Integer>(word);
  if (number) to = *number;
  return number.has_value();
}

/// exptime and other signed numbers: 32 bits, as in memcached.
inline bool read_time(std::string_view word, std::int64_t& to) {
  const auto number = number_in<std::int32_t>(word);
  if (number) to = *number;
  return number.has_value();
}

}  // namespace perdure::benchmarks::memcached

#endif
