#ifndef PERDURE_C_LIBRARY_TEXT_READER_H
#define PERDURE_C_LIBRARY_TEXT_READER_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "abi/entry_points.h"
#include "c/library/private_memory.h"
#include "persist/sanitizers.h"
#include "sync/orec_table.h"

namespace perdure::c {

/// Reads text in shared memory of which it is not known where it ends, a stripe at a time: what is accessed as one
/// anyway. A stripe lies in one page, so reading to its end cannot fault even if the text ends within it.
template <class Character>
class TextReader {
 public:
  explicit TextReader(const Character* text) : text_(text) {}

  /// What is known from there on, one character at least.
  std::span<const Character> from(std::size_t index) {
    if (index - begin_ >= count_) load(index);
    return {known_.data() + (index - begin_), count_ - (index - begin_)};
  }

  Character operator[](std::size_t index) { return from(index)[0]; }

 private:
#ifdef PERDURE_ADDRESS_SANITIZER
  static constexpr std::size_t block_bytes = sizeof(Character);  // it objects to bytes behind the end
#else
  static constexpr std::size_t block_bytes = sync::stripe_bytes;
#endif

  void load(std::size_t index) {
    const Character* const place = text_ + index;
    const bool is_first = count_ == 0;
    begin_ = index;
    if (is_first && block_bytes > sizeof(std::uint64_t)) return load_word(place);
    const std::size_t rest = block_bytes - reinterpret_cast<std::uintptr_t>(place) % block_bytes;
    count_ = std::max<std::size_t>(rest / sizeof(Character), 1);
    perdure_read_bytes(known_.data(), place, count_ * sizeof(Character));
  }

  /// One access, which is cheaper, and suffices for most comparisons.
  void load_word(const Character* place) {
    const std::size_t before = reinterpret_cast<std::uintptr_t>(place) % sizeof(std::uint64_t);
    const auto* const address = reinterpret_cast<const std::byte*>(place) - before;
    const std::uint64_t word = perdure_read_u64(reinterpret_cast<const std::uint64_t*>(address));
    count_ = (sizeof(word) - before) / sizeof(Character);
    std::memcpy(known_.data(), reinterpret_cast<const std::byte*>(&word) + before, sizeof(word) - before);
  }

  const Character* text_;
  std::size_t begin_ = 0;
  std::size_t count_ = 0;
  std::array<Character, std::max<std::size_t>(block_bytes / sizeof(Character), 1)> known_;
};

/// strnlen and wcsnlen.
template <class Character>
std::size_t length_of(const Character* text, std::size_t limit = SIZE_MAX) {
  TextReader<Character> reader(text);
  for (std::size_t length = 0; length < limit;) {
    const auto known = reader.from(length);
    const std::size_t count = std::min(known.size(), limit - length);
    const Character* const end = std::char_traits<Character>::find(known.data(), count, Character{});
    if (end != nullptr) return length + static_cast<std::size_t>(end - known.data());
    length += count;
  }
  return limit;
}

/// A private copy of text, of up to `limit` characters, with a terminator. Null stays null.
template <class Character>
Character* copy_text(PrivateMemory& memory, const Character* text, std::size_t limit = SIZE_MAX) {
  if (text == nullptr) return nullptr;
  const std::size_t length = length_of(text, limit);
  auto* const copy = memory.room_for<Character>(length + 1);
  perdure_read_bytes(copy, text, length * sizeof(Character));
  copy[length] = Character{};
  return copy;
}

/// Writes the result of a function that was called on a copy to its place in what was copied.
template <class Character>
void write_end(Character** end, const Character* text, const Character* copy, const Character* end_in_copy) {
  if (end != nullptr)
    perdure_write_ptr(reinterpret_cast<void**>(end), const_cast<Character*>(text) + (end_in_copy - copy));
}

}  // namespace perdure::c

#endif
