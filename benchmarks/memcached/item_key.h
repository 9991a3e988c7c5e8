#ifndef PERDURE_BENCHMARKS_MEMCACHED_ITEM_KEY_H
#define PERDURE_BENCHMARKS_MEMCACHED_ITEM_KEY_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace perdure::benchmarks::memcached {

inline constexpr std::size_t longest_key = 250;

/// A key by value, with its hash: what a transaction needs of a request, in its own frame.
struct ItemKey {
  std::uint64_t hash = 0;
  std::uint8_t size = 0;
  std::array<char, longest_key> characters;  // the first `size` of them

  ItemKey() = default;

  /// \param text  of at most `longest_key` characters.
  explicit ItemKey(std::string_view text)
      : hash(XXH3_64bits(text.data(), text.size())), size(static_cast<std::uint8_t>(text.size())) {
    std::memcpy(characters.data(), text.data(), text.size());
  }

  ItemKey(const ItemKey& other) : hash(other.hash), size(other.size) {
    std::memcpy(characters.data(), other.characters.data(), size);
  }
  ItemKey& operator=(const ItemKey& other) {
    hash = other.hash;
    size = other.size;
    std::memmove(characters.data(), other.characters.data(), size);
    return *this;
  }

  std::string_view text() const { return {characters.data(), size}; }
};

}  // namespace perdure::benchmarks::memcached

#endif
