#ifndef PERDURE_MEMO_KEY_H
#define PERDURE_MEMO_KEY_H

#include <cstdint>
#include <functional>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace perdure::detail {

/// Whether a later run can know the argument again by its value.
template <class Argument>
inline constexpr bool outlives_run = !std::is_pointer_v<Argument> && !std::is_same_v<Argument, std::string_view>;

/// The finalisation of splitmix64 (Steele, Lea and Flood, OOPSLA'14): std::hash is the identity of numbers, and a trie
/// needs all bits.
constexpr std::uint64_t mix(std::uint64_t word) {
  word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9;
  word = (word ^ word >> 27) * 0x94d049bb133111eb;
  return word ^ word >> 31;
}

/// What a result is found by: the version of the function, and arguments that live elsewhere.
template <class... Arguments>
struct MemoKey {
  static_assert((outlives_run<Arguments> && ...),
                "an address means something else in the next run: let the function take what lies there, for instance "
                "a std::string");

  MemoKey(std::uint64_t function_version, const Arguments&... values)
      : hash(mix(function_version + 0x9e3779b97f4a7c15)), version(function_version), arguments(values...) {
    ((hash = mix(hash * 31 + std::hash<Arguments>()(values))), ...);
  }

  std::uint64_t hash;
  std::uint64_t version;
  std::tuple<const Arguments&...> arguments;
};

/// A key that holds its arguments.
template <class... Arguments>
struct StoredMemoKey {
  explicit StoredMemoKey(const MemoKey<Arguments...>& key)
      : hash(key.hash), version(key.version), arguments(key.arguments) {}

  bool is(const MemoKey<Arguments...>& key) const {
    return hash == key.hash && version == key.version && arguments == key.arguments;
  }

  std::uint64_t hash;
  std::uint64_t version;
  std::tuple<Arguments...> arguments;
};

}  // namespace perdure::detail

#endif
