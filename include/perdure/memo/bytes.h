#ifndef PERDURE_MEMO_BYTES_H
#define PERDURE_MEMO_BYTES_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

namespace perdure {

/// How many bytes a value owns outside of itself, about: what a memo counts against its limit. It knows what standard
/// containers, pairs and tuples own, and takes other types to own nothing: specialise it for those of yours that do.
template <class Value>
struct MemoBytes {
  static std::uint64_t owned_by(const Value& value);
};

namespace detail {

/// What a range has elements of; void for what is no range, or one of itself.
template <class Value, class = void>
struct ElementOf {
  using type = void;
};
template <class Value>
struct ElementOf<Value, std::void_t<decltype(*std::begin(std::declval<const Value&>()))>> {
  using element = std::decay_t<decltype(*std::begin(std::declval<const Value&>()))>;
  using type = std::conditional_t<std::is_same_v<element, Value>, void, element>;
};
template <class Value>
using element_of = typename ElementOf<Value>::type;

template <class Value, class = void>
inline constexpr bool is_contiguous = false;
template <class Value>
inline constexpr bool is_contiguous<Value, std::void_t<decltype(std::data(std::declval<const Value&>()))>> = true;

template <class Value, class = void>
inline constexpr bool is_tuple = false;
template <class Value>
inline constexpr bool is_tuple<Value, std::void_t<decltype(std::tuple_size<Value>::value)>> = true;

/// The elements themselves. Those of short strings lie in the string.
template <class Range>
std::uint64_t bytes_of_elements(const Range& range) {
  constexpr std::uint64_t links = 4 * sizeof(void*);  // of a node of the standard's trees
  const auto count = static_cast<std::uint64_t>(std::distance(std::begin(range), std::end(range)));
  if constexpr (is_contiguous<Range>) {
    const std::less<const void*> is_before;
    const void* const data = std::data(range);
    const bool is_inside = !is_before(data, std::addressof(range)) && is_before(data, std::addressof(range) + 1);
    return is_inside ? 0 : count * sizeof(element_of<Range>);
  } else {
    return count * (sizeof(element_of<Range>) + links);
  }
}

template <class Value>
std::uint64_t bytes_owned_by(const Value& value) {
  return MemoBytes<Value>::owned_by(value);
}

}  // namespace detail

template <class Value>
std::uint64_t MemoBytes<Value>::owned_by([[maybe_unused]] const Value& value) {
  std::uint64_t bytes = 0;
  if constexpr (std::is_trivially_copyable_v<Value>) {
    return bytes;
  } else if constexpr (!std::is_void_v<detail::element_of<Value>>) {
    bytes = detail::bytes_of_elements(value);
    if constexpr (!std::is_trivially_copyable_v<detail::element_of<Value>>)
      for (const auto& element : value) bytes += detail::bytes_owned_by(element);
  } else if constexpr (detail::is_tuple<Value>) {
    std::apply([&](const auto&... parts) { ((bytes += detail::bytes_owned_by(parts)), ...); }, value);
  }
  return bytes;
}

}  // namespace perdure

#endif
