#ifndef PERDURE_BENCHMARKS_TEXT_H
#define PERDURE_BENCHMARKS_TEXT_H

#include <array>
#include <cstddef>
#include <string_view>

#include "random.h"

namespace perdure::benchmarks {

/// A text of at most N characters, zero-filled when shorter. A field's text lives in its row, as in a database page.
template <std::size_t N>
using Text = std::array<char, N>;

/// `fewest` to N random characters out of `alphabet`.
template <std::size_t N>
Text<N> random_text(Random& random, std::size_t fewest,
                    std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 .") {
  Text<N> text{};
  const auto length = static_cast<std::size_t>(random.between(static_cast<std::int64_t>(fewest), N));
  for (std::size_t i = 0; i < length; ++i) {
    text[i] = alphabet[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(alphabet.size()) - 1))];
  }
  return text;
}

template <std::size_t N>
Text<N> random_digits(Random& random) {
  return random_text<N>(random, N, "0123456789");
}

template <std::size_t N>
Text<N> fixed_text(std::string_view characters) {
  Text<N> text{};
  characters.copy(text.data(), N);
  return text;
}

}  // namespace perdure::benchmarks

#endif
