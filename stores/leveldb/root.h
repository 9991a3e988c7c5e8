#ifndef PERDURE_STORES_LEVELDB_ROOT_H
#define PERDURE_STORES_LEVELDB_ROOT_H

#include "retained.h"
#include "tree.h"

namespace perdure::stores {

/// What the pool's root `store` is.
struct Root {
  Tree tree;
  RetainedLists retained;
  Cell* comparator = nullptr;  ///< its name, as the key of a separator

  Root() { tree.top = new Leaf(); }
};

inline constexpr Stamp latest = ~Stamp{0};

/// What a reader of the moment `at` sees of a cell; null: nothing. Of `latest`, everything.
inline Cell* visible_in(Cell* cell, Stamp at) {
  while (cell != nullptr && kind_of(cell) == Kind::versions) {
    const auto* const versions = static_cast<const Versions*>(cell);
    Cell* const current = versions->current;
    if (stamp_of(current) <= at) return current;
    cell = versions->older;
  }
  return cell != nullptr && stamp_of(cell) <= at ? cell : nullptr;
}

/// What somebody sees who looks now: not what is written of a batch that is open.
inline Stamp visible_now(const Tree& tree) { return tree.batch_is_open != 0 ? tree.now - 1 : latest; }

}  // namespace perdure::stores

#endif
