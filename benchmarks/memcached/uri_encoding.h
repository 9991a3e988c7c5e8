#ifndef PERDURE_BENCHMARKS_MEMCACHED_URI_ENCODING_H
#define PERDURE_BENCHMARKS_MEMCACHED_URI_ENCODING_H

#include <cctype>
#include <string>
#include <string_view>

namespace perdure::benchmarks::memcached {

/// A key as in an address of the web, so that it is one word.
inline std::string uri_encoded(std::string_view key) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string text;
  for (const char character : key) {
    const auto byte = static_cast<unsigned char>(character);
    if (std::isalnum(byte) != 0 || std::string_view("-._~").find(character) != std::string_view::npos) {
      text += character;
    } else {
      text += {'%', digits[byte / 16], digits[byte % 16]};
    }
  }
  return text;
}

}  // namespace perdure::benchmarks::memcached

#endif
