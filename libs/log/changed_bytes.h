#ifndef PERDURE_LOG_CHANGED_BYTES_H
#define PERDURE_LOG_CHANGED_BYTES_H

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "log/record.h"

/// How a redo log of chunks holds what a transaction has changed: for each chunk its address, with the words that were
/// written as a whole in bits 56 to 63, and these words; for each word that was written in part its address, with the
/// bytes that were written in bits 48 to 55 (and bit 56 set), and the word. What was not written is neither logged nor
/// read: a line that is only stored to need not be in the cache before the log is durable.
namespace perdure::log::changed_bytes {

inline constexpr unsigned words_shift = 56;
inline constexpr unsigned bytes_shift = 48;
inline constexpr std::uint64_t address_mask = (std::uint64_t{1} << bytes_shift) - 1;

/// Words that an entry of a write set takes at most: when all are written in part.
template <class Entry>
inline constexpr std::size_t most_words = 2 * Entry::word_count;

/// Words that it takes.
template <class Entry>
std::size_t size_of(const Entry& entry) {
  std::size_t size = entry.whole == 0 ? 0 : 1 + static_cast<unsigned>(std::popcount(entry.whole));
  entry.for_each_part([&](std::size_t, std::uint8_t) { size += 2; });
  return size;
}

/// \returns where the next entry goes.
template <class Entry>
std::uint64_t* put(const Entry& entry, std::uint64_t* word) {
  if (entry.whole != 0) {
    *word++ = entry.address | std::uint64_t{entry.whole} << words_shift;
    entry.for_each_whole([&](std::size_t i) { *word++ = entry.words[i]; });
  }
  entry.for_each_part([&](std::size_t i, std::uint64_t bytes) {
    *word++ = (entry.address + i * sizeof(std::uint64_t)) | bytes << bytes_shift | std::uint64_t{1} << words_shift;
    *word++ = entry.words[i];
  });
  return word;
}

/// Calls `function(address of a word, its value, which of its bytes were written)` for each word.
/// \returns false when `words` are not well formed.
template <class Function>
bool for_each(std::span<const std::uint64_t> words, Function&& function) {
  const std::uint64_t* word = words.data();
  const std::uint64_t* const end = word + words.size();
  while (word < end) {
    const std::uint64_t address = *word & address_mask;
    const auto in_part = static_cast<std::uint8_t>(*word >> bytes_shift);
    std::uint64_t written = *word >> words_shift;
    if (end - ++word < std::popcount(written)) return false;
    for (; written != 0; written &= written - 1)
      function(address + static_cast<unsigned>(std::countr_zero(written)) * sizeof(std::uint64_t), *word++,
               in_part == 0 ? all_bytes : in_part);
  }
  return true;
}

}  // namespace perdure::log::changed_bytes

#endif
