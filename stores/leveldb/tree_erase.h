#ifndef PERDURE_STORES_LEVELDB_TREE_ERASE_H
#define PERDURE_STORES_LEVELDB_TREE_ERASE_H

#include "tree_insert.h"

namespace perdure::stores {

/// A node with fewer slots looks for a neighbour, of the same parent, that it fits in with.
inline constexpr unsigned few = 4;
/// How full a node may be that two were merged to: it shall not split at the next insertion.
inline constexpr unsigned full_enough = 12;

inline void erase_slot(Node& node, unsigned position) {
  SlotOrder order = node.order;
  order.erase(position);
  node.order = order;
}

/// The first node takes what the second has. The bounds of a node so change only where both are its own, and the
/// prefixes of no other node with them.
inline void merge_leaves(Leaf& left, Leaf& right, const KeyOrder& order, std::uint32_t skip) {
  set_skip(left, order, skip);
  const unsigned on_left = left.order.size();
  copy_tail(right, 0, left);
  const SlotOrder slots = left.order;
  for (unsigned position = on_left; position < slots.size(); ++position) {
    Leaf::Slot& slot = left.slots[slots.slot(position)];
    slot.prefix.set(prefix_of(order, newest_of(slot.cell), skip));
  }
  delete &right;
}

inline void merge_inner(Inner& left, Inner& right, Cell* separator, const KeyOrder& order, std::uint32_t skip) {
  set_skip(left, order, skip);
  put_child(left, order, left.order.size(), {separator, right.first});
  const SlotOrder moved = right.order;
  for (unsigned position = 0; position < moved.size(); ++position) {
    const Inner::Slot& slot = right.slots[moved.slot(position)];
    put_child(left, order, left.order.size(), {slot.cell, slot.child});
  }
  delete &right;
}

/// Merges the child that the path leads through at `level` with a neighbour, if they fit. \returns whether they did.
inline bool merge_child(const KeyOrder& order, Path& path, unsigned level) {
  Path::Step& step = path.steps[level];
  Inner& parent = *step.node;
  const SlotOrder slots = parent.order;
  if (slots.size() == 0) return false;
  const unsigned left_child = step.child == slots.size() ? step.child - 1 : step.child;
  Node* const left = child_at(parent, slots, left_child);
  const Inner::Slot between = parent.slots[slots.slot(left_child)];
  const bool are_leaves = level + 1 == path.height;
  const unsigned together = left->order.size() + between.child->order.size() + (are_leaves ? 0 : 1);
  if (together > full_enough) return false;
  const Cell* const low = left_child == 0 ? step.low : parent.slots[slots.slot(left_child - 1)].cell;
  const Cell* const high = left_child + 1 == slots.size() ? step.high : parent.slots[slots.slot(left_child + 1)].cell;
  const std::uint32_t skip = common_bytes(order, low, high);
  if (are_leaves) {
    merge_leaves(*static_cast<Leaf*>(left), *static_cast<Leaf*>(between.child), order, skip);
    free_cell(between.cell);
  } else {
    merge_inner(*static_cast<Inner*>(left), *static_cast<Inner*>(between.child), between.cell, order, skip);
  }
  erase_slot(parent, left_child);
  return true;
}

/// Takes the slot of the key out of the tree; its cell is the caller's.
inline void erase_entry(Tree& tree, const Sought& sought, const KeyOrder& order, Leaf* leaf, unsigned position) {
  erase_slot(*leaf, position);
  if (leaf->order.size() >= few || tree.height == 0) return;
  Path path;
  find_path(tree, sought, Side::with, path);
  for (unsigned level = path.height; level-- > 0;) {
    if (!merge_child(order, path, level)) return;
    if (level > 0 && path.steps[level].node->order.size() >= few) return;
  }
  while (tree.height > 0 && tree.top->order.size() == 0) {
    auto* const top = static_cast<Inner*>(tree.top);
    tree.top = top->first;
    --tree.height;
    delete top;
  }
}

}  // namespace perdure::stores

#endif
