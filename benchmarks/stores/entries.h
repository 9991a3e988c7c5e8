#ifndef PERDURE_BENCHMARKS_STORES_ENTRIES_H
#define PERDURE_BENCHMARKS_STORES_ENTRIES_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

namespace perdure::benchmarks::stores {

/// The 16 decimal digits of a number, so that keys are in the order of numbers.
class EntryKey {
 public:
  static constexpr std::size_t digits = 16;

  explicit EntryKey(std::uint64_t number) {
    for (std::size_t place = digits; place-- > 0; number /= 10) text_[place] = static_cast<char>('0' + number % 10);
  }

  template <class Slice>
  Slice slice() const {
    return {text_.data(), text_.size()};
  }

  /// \returns nothing if these bytes are no such key.
  template <class Slice>
  static std::optional<std::uint64_t> number_of(const Slice& key) {
    if (key.size() != digits) return std::nullopt;
    std::uint64_t number = 0;
    for (std::size_t place = 0; place < digits; ++place) {
      if (key[place] < '0' || key[place] > '9') return std::nullopt;
      number = number * 10 + static_cast<std::uint64_t>(key[place] - '0');
    }
    return number;
  }

 private:
  std::array<char, digits> text_;
};

/// The value of an entry: its key's number, then one stamp again and again. So half a value, or another key's, is found
/// out.
class EntryValue {
 public:
  explicit EntryValue(std::size_t bytes) : bytes_(bytes, '\0') {}

  const std::string& make(std::uint64_t number, std::uint64_t stamp) {
    std::memcpy(bytes_.data(), &number, sizeof number);
    for (std::size_t at = word; at < bytes_.size(); at += word)
      std::memcpy(bytes_.data() + at, &stamp, std::min(word, bytes_.size() - at));
    return bytes_;
  }

  template <class Slice>
  static bool is_intact(const Slice& value, std::uint64_t number, std::size_t bytes) {
    if (value.size() != bytes || std::memcmp(value.data(), &number, sizeof number) != 0) return false;
    const char* const stamp = value.data() + word;
    return std::memcmp(stamp, stamp + word, bytes - 2 * word) == 0;
  }

 private:
  static constexpr std::size_t word = sizeof(std::uint64_t);
  std::string bytes_;
};

}  // namespace perdure::benchmarks::stores

#endif
