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
  part = 2,       ///< a PartNumber, and some of the items of a change, which is in several records
  last_part = 3,  ///< the same; with it the change counts
};

/// Which change of the run a part belongs to, and how many come before it.
struct PartNumber {
  static constexpr unsigned ordinal_bits = 20;

  std::uint64_t change;
  std::uint64_t ordinal;

  static constexpr PartNumber of(std::uint64_t word) {
    return {word >> ordinal_bits, word & ((std::uint64_t{1} << ordinal_bits) - 1)};
  }
  constexpr std::uint64_t word() const { return change << ordinal_bits | ordinal; }
};

inline constexpr unsigned changed_words_shift = 56;
inline constexpr unsigned changed_bytes_shift = 48;
inline constexpr std::uint64_t offset_mask = (std::uint64_t{1} << changed_bytes_shift) - 1;

using Words = std::span<const std::uint64_t>;

/// One item.
struct ChangeItem {
  std::uint64_t offset;   ///< of its first word
  std::uint64_t changed;  ///< a bit for each word from there on that is changed; 0: it is a range
  std::uint8_t bytes;     ///< of each such word, a bit for each byte that is changed
  Words values;

  /// It changes nothing behind.
  std::uint64_t end() const {
    const std::uint64_t words = changed == 0 ? values.size() : static_cast<std::uint64_t>(std::bit_width(changed));
    return offset + words * sizeof(std::uint64_t);
  }
};

/// The first item; of no values when it is not well formed: they would go beyond `items`.
inline ChangeItem first_item(Words items) {
  constexpr std::uint8_t whole_word = 0xff;
  const std::uint64_t head = items[0];
  ChangeItem item{head & offset_mask, head >> changed_words_shift, whole_word, {}};
  const std::size_t head_words = item.changed == 0 ? 2 : 1;
  if (items.size() <= head_words) return item;
  const std::uint64_t count = item.changed == 0 ? items[1] : static_cast<std::uint64_t>(std::popcount(item.changed));
  const auto in_part = static_cast<std::uint8_t>(head >> changed_bytes_shift);
  if (item.changed != 0 && in_part != 0) item.bytes = in_part;
  if (count <= items.size() - head_words) item.values = items.subspan(head_words, count);
  return item;
}

/// Calls `function(item)` for each. \returns false when they are not well formed.
template <class Function>
bool for_each_item(Words items, Function&& function) {
  while (!items.empty()) {
    const ChangeItem item = first_item(items);
    if (item.values.empty()) return false;
    function(item);
    items = items.subspan(static_cast<std::size_t>(item.values.data() - items.data()) + item.values.size());
  }
  return true;
}

/// Calls `function(offset of a word, its value)` for each.
template <class Function>
void for_each_word(const ChangeItem& item, Function&& function) {
  std::uint64_t offset = item.offset;
  std::uint64_t rest = item.changed;
  for (const std::uint64_t value : item.values) {
    if (item.changed != 0) {
      offset = item.offset + static_cast<unsigned>(std::countr_zero(rest)) * sizeof(value);
      rest &= rest - 1;
    }
    function(offset, value);
    offset += sizeof(value);
  }
}

/// Stores the bytes of a word that `changed` has bits for.
inline void store_bytes(std::byte* word, std::uint64_t value, std::uint8_t changed) {
  for (std::size_t i = 0; i < sizeof(value); ++i)
    if ((changed >> i & 1) != 0) word[i] = static_cast<std::byte>(value >> i * 8);
}

}  // namespace perdure::disk

#endif
