// Clones of hsearch_r and the like (libs/abi/c_library.def). Tables are those of glibc's functions, with its order of
// slots, so that both work on a table, whoever made it.
#include <search.h>

#include <cerrno>
#include <climits>
#include <cstddef>

#include "abi/entry_points.h"
#include "c/library/private_memory.h"
#include "c/library/text_reader.h"

extern "C" {
void* perdure_tm_calloc(std::size_t count, std::size_t bytes);
void perdure_tm_free(void* block);
int perdure_tm_strcmp(const char* left, const char* right);
}

namespace {

using namespace perdure::c;

/// The first of a table is not used.
struct Slot {
  unsigned hash;  // 0: free
  ENTRY entry;
};

Slot* slots_of(const hsearch_data* table) { return reinterpret_cast<Slot*>(read_variable(&table->table)); }

int fail(int error) {
  write_variable(&errno, error);
  return 0;
}

bool is_prime(unsigned odd) {
  for (unsigned divisor = 3; divisor <= odd / divisor; divisor += 2)
    if (odd % divisor == 0) return false;
  return true;
}

unsigned hash_of(const char* key) {
  PrivateMemory memory;
  const char* const text = copy_text(memory, key);
  std::size_t rest = std::strlen(text);
  auto hash = static_cast<unsigned>(rest);
  while (rest-- > 0) hash = (hash << 4) + static_cast<unsigned>(static_cast<int>(text[rest]));
  return hash == 0 ? 1 : hash;
}

/// Where the key is, or the free slot where it belongs; null: neither. Knuth, The Art of Computer Programming, section
/// 6.4, algorithm D.
Slot* slot_of(const char* key, unsigned hash, Slot* slots, unsigned size) {
  const unsigned first = hash % size + 1;
  const unsigned step = 1 + hash % (size - 2);
  unsigned place = first;
  do {
    const unsigned found = read_variable(&slots[place].hash);
    if (found == 0) return &slots[place];
    if (found == hash && perdure_tm_strcmp(key, read_variable(&slots[place].entry.key)) == 0) return &slots[place];
    place = place <= step ? size + place - step : place - step;
  } while (place != first);
  return nullptr;
}

}  // namespace

extern "C" {

int perdure_tm_hcreate_r(std::size_t count, hsearch_data* table) {
  if (table == nullptr) return fail(EINVAL);
  if (slots_of(table) != nullptr) return 0;
  if (count >= UINT_MAX / 2) return fail(ENOMEM);
  unsigned size = static_cast<unsigned>(count < 3 ? 3 : count) | 1;
  while (!is_prime(size)) size += 2;
  void* const slots = perdure_tm_calloc(size + 1, sizeof(Slot));
  if (slots == nullptr) return 0;
  write_variable(table, hsearch_data{static_cast<_ENTRY*>(slots), size, 0});
  return 1;
}

void perdure_tm_hdestroy_r(hsearch_data* table) {
  if (table == nullptr) return static_cast<void>(fail(EINVAL));
  perdure_tm_free(slots_of(table));
  write_variable(&table->table, static_cast<_ENTRY*>(nullptr));
}

int perdure_tm_hsearch_r(ENTRY item, ACTION action, ENTRY** result, hsearch_data* table) {
  const unsigned size = read_variable(&table->size);
  const unsigned hash = hash_of(item.key);
  Slot* const slot = slot_of(item.key, hash, slots_of(table), size);
  const bool is_there = slot != nullptr && read_variable(&slot->hash) != 0;
  const unsigned filled = read_variable(&table->filled);
  if (!is_there && (action == FIND || filled == size)) {
    write_variable(result, static_cast<ENTRY*>(nullptr));
    return fail(action == FIND ? ESRCH : ENOMEM);
  }
  if (!is_there) {
    write_variable(&slot->hash, hash);
    write_variable(&slot->entry, item);
    write_variable(&table->filled, filled + 1);
  }
  write_variable(result, &slot->entry);
  return 1;
}

}  // extern "C"
