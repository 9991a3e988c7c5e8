#ifndef PERDURE_STORES_LEVELDB_RETAINED_H
#define PERDURE_STORES_LEVELDB_RETAINED_H

#include "entry.h"

namespace perdure::stores {

/// A key that has old versions, for the sake of a reader: when that has gone, or after a crash, they are looked for
/// under the key. In the pool, in one of some lists, so that writers seldom meet.
struct Retained {
  Retained* next;
  Retained* previous;  ///< null: the first of its list
  Cell* key;           ///< a copy: the entry may go sooner
  Stamp older;         ///< of the version that was kept
  unsigned list;
};

struct RetainedLists {
  static constexpr unsigned count = 16;
  struct alignas(64) List {
    Retained* first = nullptr;
  };
  List lists[count];
};

inline Retained* retain(RetainedLists& lists, unsigned list, const Cell* entry) {
  Cell* const key = make_separator(entry, key_size(entry));
  Retained*& first = lists.lists[list].first;
  auto* const made = new Retained{first, nullptr, key, stamp_of(entry), list};
  if (first != nullptr) first->previous = made;
  first = made;
  return made;
}

inline void forget(RetainedLists& lists, Retained* retained) {
  if (retained->next != nullptr) retained->next->previous = retained->previous;
  if (retained->previous != nullptr)
    retained->previous->next = retained->next;
  else
    lists.lists[retained->list].first = retained->next;
  free_cell(retained->key);
  delete retained;
}

}  // namespace perdure::stores

#endif
