#ifndef PERDURE_DISK_CHANGE_RECORD_H
#define PERDURE_DISK_CHANGE_RECORD_H

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

/// What the records in the log of a pool hold (docs/pool-format.md): what the bytes at some offsets of the pool are
/// from now on. Items follow each other:
///
/// - changed words: the format of log/changed_bytes.h, with offsets for addresses; bits 56 to 63 of its first word are
///   not 0;
/// - a range: its offset, the number of words, and the words.
namespace perdure::disk {

/// Tags of records.
enum class RecordTag : std::uint32_t {
  whole = 1,      ///< items
  part = 2,       ///< a number, and some of the items of a change, which is in several records with this number
  last_part = 3,  ///< the same; with it the change counts
};

inline constexpr unsigned changed_words_shift = 56;
inline constexpr unsigned changed_bytes_shift = 48;
inline constexpr std::uint64_t offset_mask = (std::uint64_t{1} << changed_bytes_shift) - 1;

/// Calls `function(offset of a word, its value, a bit for each byte that is changed)` for each word.
/// \returns false when the items are not well formed.
template <class Function>
bool for_each_change(std::span<const std::uint64_t> items, Function&& function) {
  constexpr std::uint8_t whole_word = 0xff;
  std::size_t at = 0;
  while (at < items.size()) {
    const std::uint64_t head = items[at++];
    const std::uint64_t offset = head & offset_mask;
    std::uint64_t words = head >> changed_words_shift;
    if (words == 0) {
      if (at == items.size() || items[at] > items.size() - at - 1) return false;
      const std::uint64_t count = items[at++];
      for (std::uint64_t i = 0; i < count; ++i) function(offset + i * sizeof(std::uint64_t), items[at++], whole_word);
      continue;
    }
    if (static_cast<std::size_t>(std::popcount(words)) > items.size() - at) return false;
    const auto in_part = static_cast<std::uint8_t>(head >> changed_bytes_shift);
    for (; words != 0; words &= words - 1)
      function(offset + static_cast<unsigned>(std::countr_zero(words)) * sizeof(std::uint64_t), items[at++],
               in_part == 0 ? whole_word : in_part);
  }
  return true;
}

/// Stores the bytes of a word that `changed` has bits for.
inline void store_bytes(std::byte* word, std::uint64_t value, std::uint8_t changed) {
  for (std::size_t i = 0; i < sizeof(value); ++i)
    if ((changed >> i & 1) != 0) word[i] = static_cast<std::byte>(value >> i * 8);
}

}  // namespace perdure::disk

#endif
