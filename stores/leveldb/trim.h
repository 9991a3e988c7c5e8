#ifndef PERDURE_STORES_LEVELDB_TRIM_H
#define PERDURE_STORES_LEVELDB_TRIM_H

#include "change.h"

namespace perdure::stores {

inline void free_version(Cell* cell) {
  if (kind_of(cell) == Kind::versions) free_cell(static_cast<Versions*>(cell)->current);
  free_cell(cell);
}

/// Frees the versions behind `newest` that nobody sees.
inline void trim_chain(Readers& readers, Versions* newest) {
  Versions* newer = newest;
  while (newer->older != nullptr) {
    Cell* const older = newer->older;
    const bool has_more = kind_of(older) == Kind::versions;
    if (latest_reader_between(readers, stamp_of(newest_of(older)), stamp_of(newer->current)) == 0) {
      newer->older = has_more ? static_cast<Versions*>(older)->older : nullptr;
      free_version(older);
    } else if (has_more) {
      newer = static_cast<Versions*>(older);
    } else {
      return;
    }
  }
}

/// Frees what nobody sees of the versions of a key, and what remembers them.
inline void trim(Target target, const Sought& sought) {
  Leaf* const leaf = leaf_of(target.root.tree, sought);
  const Position at = find_position(*leaf, sought);
  if (!at.is_there) return;
  Cell*& slot = leaf->cell_at(leaf->head.order, at.position);
  if (kind_of(slot) != Kind::versions) return;
  auto* const versions = static_cast<Versions*>(slot);
  trim_chain(target.readers, versions);
  if (versions->older != nullptr) return;
  Cell* const current = versions->current;
  slot = current;
  free_cell(versions);
  if (kind_of(current) != Kind::deletion) return;
  erase_entry(target.root.tree, sought, target.order, leaf, at.position);
  free_cell(current);
}

/// Takes back what an open batch has done to a key.
inline void take_back(Target target, const Sought& sought) {
  Tree& tree = target.root.tree;
  Leaf* const leaf = leaf_of(tree, sought);
  const Position at = find_position(*leaf, sought);
  if (!at.is_there) return;
  Cell*& slot = leaf->cell_at(leaf->head.order, at.position);
  Cell* const cell = slot;
  if (stamp_of(newest_of(cell)) != tree.now) return;
  Cell* const older = kind_of(cell) == Kind::versions ? static_cast<Versions*>(cell)->older : nullptr;
  if (older != nullptr)
    slot = older;
  else
    erase_entry(tree, sought, target.order, leaf, at.position);
  free_version(cell);
}

}  // namespace perdure::stores

#endif
