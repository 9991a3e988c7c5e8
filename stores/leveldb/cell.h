#ifndef PERDURE_STORES_LEVELDB_CELL_H
#define PERDURE_STORES_LEVELDB_CELL_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "perdure/attributes.h"

/// What leaves of the index lead to. A cell is written once, while it is the last block that its transaction has
/// allocated, and so directly; from then on its bytes never change. Whoever finds it in a transaction may therefore
/// read it plainly, and hand it to a comparator that the plugin has never seen: its memory is not reused before that
/// transaction has ended. The functions here that are PERDURE_PURE do so.
namespace perdure::stores {

/// A moment of the store: what was written before a snapshot and after it have different stamps.
using Stamp = std::uint64_t;

enum class Kind : unsigned { value, deletion, versions, separator };

/// The first word of all cells: two halves, because a mark takes whole words for possible pointers.
struct Cell {
  std::uint32_t low;   ///< two bits of the kind, and the lower part of the stamp
  std::uint32_t high;  ///< the upper part of the stamp
};

/// A cell whose newest entry is not all that readers see.
struct Versions : Cell {
  Cell* current;  ///< an entry
  Cell* older;    ///< what was there before: an entry, or Versions
};

inline constexpr unsigned kind_bits = 2;

PERDURE_PURE inline std::uint64_t word_of(const Cell* cell) { return std::uint64_t{cell->high} << 32 | cell->low; }
PERDURE_PURE inline Kind kind_of(const Cell* cell) { return static_cast<Kind>(cell->low & ((1U << kind_bits) - 1)); }
PERDURE_PURE inline Stamp stamp_of(const Cell* entry) { return word_of(entry) >> kind_bits; }

/// What an entry holds. Kind::deletion and Kind::separator have a key only.
std::string_view key_of(const Cell* entry);
std::string_view value_of(const Cell* entry);

/// Copies an entry's value into private memory.
PERDURE_PURE void copy_value(std::string& to, const Cell* entry);

/// How many bytes an entry takes.
PERDURE_PURE std::size_t entry_bytes(std::size_t key_size, std::size_t value_size);

/// Fills the rest of a new entry, whose first word has been written.
PERDURE_PURE void fill_entry(Cell* entry, const char* key, std::size_t key_size, const char* value,
                             std::size_t value_size);

}  // namespace perdure::stores

#endif
