#ifndef PERDURE_BENCHMARKS_MEMCACHED_LOAD_VALUES_H
#define PERDURE_BENCHMARKS_MEMCACHED_LOAD_VALUES_H

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/random.h"

namespace perdure::benchmarks::memcached::load {

/// The values of all keys: which one belongs to a key and a version can be computed, so an answer that is not exactly
/// the value that was stored last is found.
class Values {
 public:
  explicit Values(std::size_t bytes) : bytes_(bytes), noise_(bytes + offsets, '\0') {
    Random random(1);
    for (auto& character : noise_) character = static_cast<char>(random.between('!', '~'));
  }

  std::size_t bytes() const { return bytes_; }

  /// \returns the value, which stays until the next call.
  std::string_view value(std::uint64_t key, std::uint64_t version) {
    const auto hash = Random(key * versions_of_key + version).next();
    text_.assign(noise_, hash % offsets, bytes_);
    const auto name = std::to_string(key) + "/" + std::to_string(version) + "/";
    text_.replace(0, std::min(name.size(), bytes_), name, 0, std::min(name.size(), bytes_));
    return text_;
  }

  /// The version that a value says it is of; whether it is that value whole remains to be seen. 0: none.
  static std::uint32_t version_of(std::string_view text) {
    const auto begin = text.find('/') + 1;
    const auto end = text.find('/', begin);
    std::uint32_t version = 0;
    if (begin == 0 || end == std::string_view::npos) return 0;
    std::from_chars(text.data() + begin, text.data() + end, version);
    return version;
  }

 private:
  static constexpr std::size_t offsets = 4096;
  static constexpr std::uint64_t versions_of_key = std::uint64_t{1} << 32;

  const std::size_t bytes_;
  std::string noise_;
  std::string text_;
};

}  // namespace perdure::benchmarks::memcached::load

#endif
