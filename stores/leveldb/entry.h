#ifndef PERDURE_STORES_LEVELDB_ENTRY_H
#define PERDURE_STORES_LEVELDB_ENTRY_H

#include <cstddef>
#include <new>
#include <string_view>

#include "cell.h"

/// Making cells, in transactions.
namespace perdure::stores {

/// What entries are made of. A class around an array of characters: the plugin so knows that there are no pointers.
struct Piece {
  char bytes[32];
};

/// A new entry. The key and the value are private memory, or immutable.
inline Cell* make_entry(Kind kind, Stamp stamp, const char* key, std::size_t key_size, const char* value,
                        std::size_t value_size) {
  const std::size_t pieces = (entry_bytes(key_size, value_size) + sizeof(Piece) - 1) / sizeof(Piece);
  auto* const entry = reinterpret_cast<Cell*>(new Piece[pieces]);
  // Written by the transaction, so that it knows of the block: the rest, by code that it does not see, is flushed too.
  const std::uint64_t word = stamp << kind_bits | static_cast<unsigned>(kind);
  entry->low = static_cast<std::uint32_t>(word);
  entry->high = static_cast<std::uint32_t>(word >> 32);
  fill_entry(entry, key, key_size, value, value_size);
  return entry;
}

inline Versions* make_versions(Cell* current, Cell* older) {
  auto* const made = new Versions;
  made->low = static_cast<unsigned>(Kind::versions);
  made->high = 0;
  made->current = current;
  made->older = older;
  return made;
}

inline void free_cell(Cell* cell) { ::operator delete(static_cast<void*>(cell)); }

/// A copy of the first bytes of an entry's key.
PERDURE_PURE inline const char* key_data(const Cell* entry) { return key_of(entry).data(); }
PERDURE_PURE inline std::size_t key_size(const Cell* entry) { return key_of(entry).size(); }

inline Cell* make_separator(const Cell* entry, std::size_t bytes) {
  return make_entry(Kind::separator, 0, key_data(entry), bytes, nullptr, 0);
}

}  // namespace perdure::stores

#endif
