#ifndef PERDURE_STORES_LEVELDB_TREE_INSERT_H
#define PERDURE_STORES_LEVELDB_TREE_INSERT_H

#include "entry.h"
#include "inner_copy.h"

namespace perdure::stores {

/// Makes the prefixes of a leaf those behind the first `skip` bytes. Where the bounds only shrink, as in a split,
/// smaller ones would do, too.
inline void set_skip(Leaf& leaf, const KeyOrder& order, std::uint32_t skip) {
  if (leaf.head.skip == skip) return;
  leaf.head.skip = skip;
  const SlotOrder slots = leaf.head.order;
  for (unsigned position = 0; position < slots.size(); ++position) {
    const unsigned slot = slots.slot(position);
    leaf.head.prefixes[slot].set(prefix_of(order, newest_of(leaf.cells[slot]), skip));
  }
}

/// Copies slots from position `begin` on to the end of another leaf.
inline void copy_tail(const Leaf& from, unsigned begin, Leaf& to) {
  const SlotOrder source = from.head.order;
  SlotOrder target = to.head.order;
  for (unsigned position = begin; position < source.size(); ++position) {
    const unsigned slot = target.insert(target.size()), copied = source.slot(position);
    to.head.prefixes[slot] = from.head.prefixes[copied];
    to.cells[slot] = from.cells[copied];
  }
  to.head.order = target;
}

inline void truncate(Leaf& leaf, unsigned size) {
  SlotOrder order = leaf.head.order;
  order.truncate(size);
  leaf.head.order = order;
}

/// What a split has made: to be put into the parent, behind the child that was split.
struct Split {
  Cell* separator;
  Node* right;
};

/// How many keys a full node keeps when it splits at `position`. What is filled in order stays full.
inline unsigned kept_in_split(unsigned capacity, unsigned position, bool is_last_of_all) {
  return is_last_of_all && position == capacity ? capacity - 1 : (capacity + 1) / 2;
}

inline Split split_leaf(Leaf& left, const KeyOrder& order, unsigned position, const Cell* low, const Cell* high) {
  const unsigned kept = kept_in_split(SlotOrder::capacity, position, high == nullptr);
  const SlotOrder slots = left.head.order;
  const Cell* const above = newest_of(left.cell_at(slots, kept));
  const Cell* const below = newest_of(left.cell_at(slots, kept - 1));
  Cell* const separator = make_separator(above, parting_bytes(order, below, above));
  auto* const right = new Leaf();
  right->head.skip = left.head.skip;
  copy_tail(left, kept, *right);
  truncate(left, kept);
  set_skip(left, order, common_bytes(order, low, separator));
  set_skip(*right, order, common_bytes(order, separator, high));
  return {separator, right};
}

/// Puts what a split has made into the nodes above, which split, too, where they are full.
inline void put_into_parents(Tree& tree, const KeyOrder& order, const Path& path, Split split) {
  for (unsigned level = path.height; level-- > 0;) {
    const Path::Step& step = path.steps[level];
    InnerCopy copy;
    append(copy, *step.node, nullptr);
    insert_child(copy, step.child, split.separator, split.right);
    const bool fits = copy.count <= Inner::capacity;
    const unsigned kept = fits ? copy.count : kept_in_split(Inner::capacity, step.child, step.high == nullptr);
    Cell* const parting = fits ? nullptr : copy.separators[kept];
    Inner* const left = make_inner(order, copy, 0, kept, step.low, fits ? step.high : parting);
    Inner* const right = fits ? nullptr : make_inner(order, copy, kept + 1, copy.count - kept - 1, parting, step.high);
    replace_child(tree, path, level, left);
    delete step.node;
    if (fits) return;
    split = {parting, right};
  }
  InnerCopy copy;
  copy.children[0] = tree.top;
  insert_child(copy, 0, split.separator, split.right);
  tree.top = make_inner(order, copy, 0, 1, nullptr, nullptr);
  ++tree.height;
}

inline void put_slot(Leaf& leaf, const KeyOrder& order, unsigned position, Cell* cell) {
  SlotOrder slots = leaf.head.order;
  const unsigned slot = slots.insert(position);
  leaf.head.prefixes[slot].set(prefix_of(order, newest_of(cell), leaf.head.skip));
  leaf.cells[slot] = cell;
  leaf.head.order = slots;
}

/// Puts an entry, whose key is not there, at its position in its leaf, which may be full.
inline void insert_entry(Tree& tree, const Sought& sought, const KeyOrder& order, Leaf* leaf, unsigned position,
                         Cell* entry) {
  if (leaf->head.order.size() < SlotOrder::capacity) return put_slot(*leaf, order, position, entry);
  Path path;
  find_path(tree, sought, Side::with, path);
  const Split split = split_leaf(*leaf, order, position, path.low, path.high);
  if (compare(sought, split.separator) < 0)
    put_slot(*leaf, order, position, entry);
  else
    put_slot(*static_cast<Leaf*>(split.right), order, position - leaf->head.order.size(), entry);
  put_into_parents(tree, order, path, split);
}

}  // namespace perdure::stores

#endif
