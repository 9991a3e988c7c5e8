#ifndef PERDURE_ENTRY_CODE_ADDRESSES_H
#define PERDURE_ENTRY_CODE_ADDRESSES_H

#include <bit>
#include <cstdint>

#include "abi/entry_points.h"
#include "entry/access.h"
#include "pool/window.h"

namespace perdure::entry {

/// The program's function behind one that is in no table of clones, since it was loaded from a pool; otherwise the
/// same. Ends the program if a pool has it and the program does not.
void* function_behind(void* function);

/// What lies in a pool where a pointer is stored: addresses of the program are others in the next run. Nearly always it
/// leads into a pool, or is null.
inline void* as_stored(void** place, void* value) {
  if (pool::in_window(value) || value == nullptr || !pool::in_window(place)) [[likely]]
    return value;
  return perdure_code_address(place, value);
}

/// Of a struct that was copied into a pool from elsewhere. \param words  a bit for each word that is a pointer
template <class Transaction>
void translate_copied(Transaction& transaction, void* to, const void* from, std::uint64_t words) {
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(to) % sizeof(void*) == 0;
  if (!pool::in_window(to) || pool::in_window(from) || !is_aligned) return;
  for (; words != 0; words &= words - 1) {
    void** const place = static_cast<void**>(to) + std::countr_zero(words);
    void* const value = read(transaction, place);
    if (void* const stored = as_stored(place, value); stored != value) write(transaction, place, stored);
  }
}

}  // namespace perdure::entry

#endif
