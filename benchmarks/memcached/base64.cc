#include "base64.h"

#include <algorithm>
#include <cstdint>

namespace perdure::benchmarks::memcached {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr char padding = '=';
constexpr std::size_t bytes_of_group = 3;
constexpr std::size_t digits_of_group = 4;

// The bytes of a group from the left, zeros after them.
std::uint32_t group_of(std::string_view bytes) {
  std::uint32_t group = 0;
  for (std::size_t i = 0; i < bytes_of_group; ++i) {
    group = group << 8 | (i < bytes.size() ? static_cast<std::uint8_t>(bytes[i]) : 0U);
  }
  return group;
}

}  // namespace

std::string base64_of(std::string_view bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += bytes_of_group) {
    const auto part = bytes.substr(i, bytes_of_group);
    const auto group = group_of(part);
    for (std::size_t digit = 0; digit < digits_of_group; ++digit) {
      text += digit <= part.size() ? alphabet[group >> (18 - 6 * digit) & 63] : padding;
    }
  }
  return text;
}

std::optional<std::string> bytes_of_base64(std::string_view text) {
  if (text.empty() || text.size() % digits_of_group != 0) return std::nullopt;
  const auto digits = text.find_last_not_of(padding) + 1;
  if (text.size() - digits > 2) return std::nullopt;
  std::string bytes;
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    const auto digit = alphabet.find(text[i]);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    if (i % digits_of_group != 0) bytes += static_cast<char>(bits >> (6 - 2 * (i % digits_of_group)) & 255);
  }
  return bytes;
}

}  // namespace perdure::benchmarks::memcached
