#ifndef PERDURE_C_LIBRARY_TEXT_FUNCTIONS_H
#define PERDURE_C_LIBRARY_TEXT_FUNCTIONS_H

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "abi/entry_points.h"
#include "alloc/next_layout.h"
#include "c/library/private_memory.h"
#include "c/library/text_reader.h"

extern "C" void* perdure_tm_malloc(std::size_t bytes);

/// The functions of <string.h> over text, for any type of characters: those of <wchar.h> are the same. Each is named by
/// what it does; the names of C are in strings.cc and wide_strings.cc.
namespace perdure::c {

inline constexpr std::size_t no_limit = SIZE_MAX;

/// Characters compare as unsigned in <string.h>, as they are in <wchar.h>.
template <class Character>
auto rank(Character character) {
  if constexpr (sizeof(Character) == 1)
    return static_cast<unsigned char>(character);
  else
    return character;
}

struct AsItIs {
  template <class Character>
  Character operator()(Character character) const {
    return character;
  }
};

template <class Character, class Fold = AsItIs>
int compare(const Character* left, const Character* right, std::size_t limit = no_limit, Fold fold = {}) {
  TextReader<Character> left_reader(left), right_reader(right);
  for (std::size_t i = 0; i < limit; ++i) {
    const Character a = fold(left_reader[i]);
    const Character b = fold(right_reader[i]);
    if (a != b) return rank(a) < rank(b) ? -1 : 1;
    if (a == Character{}) break;
  }
  return 0;
}

/// \returns null when the character does not come before the end, which may itself be looked for.
template <class Character>
Character* find(const Character* text, Character character) {
  TextReader<Character> reader(text);
  for (std::size_t i = 0;; ++i) {
    const Character found = reader[i];
    if (found == character) return const_cast<Character*>(text + i);
    if (found == Character{}) return nullptr;
  }
}

template <class Character>
Character* find_last(const Character* text, Character character) {
  TextReader<Character> reader(text);
  Character* last = nullptr;
  for (std::size_t i = 0;; ++i) {
    const Character found = reader[i];
    if (found == character) last = const_cast<Character*>(text + i);
    if (found == Character{}) return last;
  }
}

/// A set of characters, given as text.
template <class Character>
class CharacterSet {
 public:
  explicit CharacterSet(const Character* members) : members_(copy_text(memory_, members)) {
    count_ = std::char_traits<Character>::length(members_);
    if constexpr (sizeof(Character) == 1)
      for (std::size_t i = 0; i < count_; ++i) is_member_[static_cast<unsigned char>(members_[i])] = true;
  }

  bool contains(Character character) const {
    if constexpr (sizeof(Character) == 1)
      return is_member_[static_cast<unsigned char>(character)];
    else
      return std::char_traits<Character>::find(members_, count_, character) != nullptr;
  }

 private:
  PrivateMemory memory_;
  const Character* members_;
  std::size_t count_;
  std::array<bool, sizeof(Character) == 1 ? 256 : 1> is_member_{};
};

/// How many characters at the beginning are in the set, or are not.
template <class Character>
std::size_t span(const Character* text, const CharacterSet<Character>& set, bool in_set) {
  TextReader<Character> reader(text);
  for (std::size_t i = 0;; ++i) {
    const Character character = reader[i];
    if (character == Character{} || set.contains(character) != in_set) return i;
  }
}

template <class Character>
Character* find_any(const Character* text, const Character* members) {
  const CharacterSet<Character> set(members);
  const Character* const found = text + span(text, set, false);
  return TextReader<Character>(found)[0] == Character{} ? nullptr : const_cast<Character*>(found);
}

/// Where `sought` is in the first `limit` characters of text, which end at a terminator if `ends`: by the algorithm of
/// Knuth, Morris and Pratt (1977), so that each character is read once, and none behind the place.
template <class Character, class Fold = AsItIs>
Character* find_text(const Character* text, std::size_t limit, bool ends, const Character* sought, std::size_t length,
                     Fold fold = {}) {
  if (length == 0) return const_cast<Character*>(text);
  PrivateMemory memory;
  Character* const pattern = memory.copy(sought, length);
  std::transform(pattern, pattern + length, pattern, fold);
  // How long the longest proper prefix of the pattern is that ends where so many characters of it end.
  auto* const shorter = memory.room_for<std::size_t>(length + 1);
  shorter[0] = shorter[1] = 0;
  for (std::size_t i = 1, matched = 0; i < length; shorter[++i] = matched) {
    while (matched > 0 && pattern[i] != pattern[matched]) matched = shorter[matched];
    if (pattern[i] == pattern[matched]) ++matched;
  }
  TextReader<Character> reader(text);
  for (std::size_t i = 0, matched = 0; i < limit; ++i) {
    const Character character = fold(reader[i]);
    if (ends && character == Character{}) break;
    while (matched > 0 && character != pattern[matched]) matched = shorter[matched];
    if (character == pattern[matched]) ++matched;
    if (matched == length) return const_cast<Character*>(text + i + 1 - length);
  }
  return nullptr;
}

/// \returns the place of the terminator.
template <class Character>
Character* copy_with_end(Character* to, const Character* from) {
  const std::size_t length = length_of(from);
  perdure_memcpy(to, from, (length + 1) * sizeof(Character));
  return to + length;
}

/// stpncpy: fills with terminators.
template <class Character>
Character* copy_filling(Character* to, const Character* from, std::size_t limit) {
  const std::size_t length = length_of(from, limit);
  perdure_memcpy(to, from, length * sizeof(Character));
  perdure_memset(to + length, 0, (limit - length) * sizeof(Character));
  return to + length;
}

/// strncat: always with a terminator.
template <class Character>
Character* append(Character* to, const Character* from, std::size_t limit = no_limit) {
  Character* const end = to + length_of(to);
  const std::size_t length = length_of(from, limit);
  perdure_memcpy(end, from, length * sizeof(Character));
  write_variable(end + length, Character{});
  return to;
}

/// strlcpy: as much as there is room for, and a terminator. \returns the length of all.
template <class Character>
std::size_t copy_cut(Character* to, const Character* from, std::size_t size) {
  const std::size_t length = length_of(from);
  if (size == 0) return length;
  const std::size_t copied = std::min(length, size - 1);
  perdure_memcpy(to, from, copied * sizeof(Character));
  write_variable(to + copied, Character{});
  return length;
}

template <class Character>
std::size_t append_cut(Character* to, const Character* from, std::size_t size) {
  const std::size_t before = length_of(to, size);
  return before + copy_cut(to + before, from, size - before);
}

/// A copy in a block that the transaction allocates; null, and errno is set, when there is no room.
template <class Character>
Character* duplicate(const Character* text, std::size_t limit = no_limit) {
  const std::size_t length = length_of(text, limit);
  alloc::set_next_layout(&alloc::no_pointers);
  auto* const copy = static_cast<Character*>(perdure_tm_malloc((length + 1) * sizeof(Character)));
  if (copy == nullptr) return nullptr;
  perdure_memcpy(copy, text, length * sizeof(Character));
  write_variable(copy + length, Character{});
  return copy;
}

/// Functions of the C library that compare texts.
template <class Character, class Compare>
int compared(const Character* left, const Character* right, Compare&& compare) {
  PrivateMemory memory;
  const Character* const left_copy = copy_text(memory, left);
  const Character* const right_copy = copy_text(memory, right);
  return setting_errno([&] { return compare(left_copy, right_copy); });
}

/// strxfrm: `transform(to, from, size)` writes at most `size` characters. \returns the length of all.
template <class Character, class Transform>
std::size_t transformed(Character* to, const Character* from, std::size_t size, Transform&& transform) {
  PrivateMemory memory;
  const Character* const text = copy_text(memory, from);
  const std::size_t length = transform(nullptr, text, std::size_t{0});
  if (size == 0) return length;
  auto* const result = memory.room_for<Character>(length + 1);
  transform(result, text, length + 1);
  if (length < size) perdure_write_bytes(to, result, (length + 1) * sizeof(Character));
  return length;
}

/// strtok_r
template <class Character>
Character* next_token(Character* text, const Character* separators, Character** rest) {
  const CharacterSet<Character> set(separators);
  if (text == nullptr) text = read_variable(rest);
  if (text == nullptr) return nullptr;
  text += span(text, set, true);
  Character* const end = text + span(text, set, false);
  const bool is_last = TextReader<Character>(end)[0] == Character{};
  if (!is_last) write_variable(end, Character{});
  // At the end of the text the rest is the empty text there, from which no token follows.
  write_variable(rest, is_last ? end : end + 1);
  return end == text ? nullptr : text;
}

}  // namespace perdure::c

#endif
