#ifndef PERDURE_STORES_LEVELDB_TREE_ERASE_H
#define PERDURE_STORES_LEVELDB_TREE_ERASE_H

#include "tree_insert.h"

namespace perdure::stores {

/// Nodes with fewer keys look for a neighbour, of the same parent, that they fit in with.
inline constexpr unsigned few_in_leaf = 4, few_in_inner = 8;
/// How full nodes may be that two were merged to: they shall not split at the next insertion.
inline constexpr unsigned enough_in_leaf = 12, enough_in_inner = 24;

inline void erase_slot(Leaf& leaf, unsigned position) {
  SlotOrder order = leaf.head.order;
  order.erase(position);
  leaf.head.order = order;
}

/// The first leaf takes what the second has. The bounds of a node so change only where both are its own, and the
/// prefixes of no other node with them.
inline void merge_leaves(Leaf& left, Leaf& right, const KeyOrder& order, std::uint32_t skip) {
  set_skip(left, order, skip);
  const SlotOrder moved = right.head.order;
  for (unsigned position = 0; position < moved.size(); ++position)
    put_slot(left, order, left.head.order.size(), right.cell_at(moved, position));
  delete &right;
}

/// Two children of one node.
struct Neighbours {
  unsigned left_child;
  Cell* separator;
  Node* left;
  Node* right;
  const Cell* low;  ///< between which both lie
  const Cell* high;
};

/// The child that the path leads through at `level`, and one beside it. There is a separator.
inline Neighbours neighbours_at(const Path& path, unsigned level) {
  const Path::Step& step = path.steps[level];
  const Inner& parent = *step.node;
  const unsigned count = separators_in(parent);
  const unsigned left = step.child == count ? step.child - 1 : step.child;
  return {left,
          separator_of(parent, left),
          parent.children[left],
          parent.children[left + 1],
          left == 0 ? step.low : separator_of(parent, left - 1),
          left + 1 == count ? step.high : separator_of(parent, left + 1)};
}

/// Puts a copy without the second of two neighbours, whose first is `merged` now, in the place of their parent.
inline Inner* forget_neighbour(Tree& tree, const KeyOrder& order, const Path& path, unsigned level,
                               const Neighbours& merged, Node* node) {
  const Path::Step& step = path.steps[level];
  InnerCopy copy;
  append(copy, *step.node, nullptr);
  erase_child(copy, merged.left_child);
  copy.children[merged.left_child] = node;
  Inner* const made = make_inner(order, copy, 0, copy.count, step.low, step.high);
  replace_child(tree, path, level, made);
  delete step.node;
  return made;
}

/// \returns the parent, if the leaf has been merged with a neighbour; otherwise null.
inline Inner* merge_leaf(Tree& tree, const KeyOrder& order, const Path& path) {
  const unsigned level = path.height - 1;
  if (separators_in(*path.steps[level].node) == 0) return nullptr;
  const Neighbours both = neighbours_at(path, level);
  auto& left = *static_cast<Leaf*>(both.left);
  auto& right = *static_cast<Leaf*>(both.right);
  if (left.head.order.size() + right.head.order.size() > enough_in_leaf) return nullptr;
  merge_leaves(left, right, order, common_bytes(order, both.low, both.high));
  free_cell(both.separator);
  return forget_neighbour(tree, order, path, level, both, &left);
}

/// The same for the inner node below `level`.
inline Inner* merge_inner(Tree& tree, const KeyOrder& order, const Path& path, unsigned level) {
  if (separators_in(*path.steps[level].node) == 0) return nullptr;
  const Neighbours both = neighbours_at(path, level);
  auto* const left = static_cast<Inner*>(both.left);
  auto* const right = static_cast<Inner*>(both.right);
  if (separators_in(*left) + separators_in(*right) + 1 > enough_in_inner) return nullptr;
  InnerCopy copy;
  append(copy, *left, nullptr);
  append(copy, *right, both.separator);
  Inner* const merged = make_inner(order, copy, 0, copy.count, both.low, both.high);
  delete left;
  delete right;
  return forget_neighbour(tree, order, path, level, both, merged);
}

inline void merge_upwards(Tree& tree, const KeyOrder& order, const Path& path) {
  const Inner* parent = merge_leaf(tree, order, path);
  for (unsigned level = path.height - 1; level > 0 && parent != nullptr; --level) {
    if (separators_in(*parent) >= few_in_inner) return;
    parent = merge_inner(tree, order, path, level - 1);
  }
}

/// Takes the slot of the key out of the tree; its cell is the caller's.
inline void erase_entry(Tree& tree, const Sought& sought, const KeyOrder& order, Leaf* leaf, unsigned position) {
  erase_slot(*leaf, position);
  if (leaf->head.order.size() >= few_in_leaf || tree.height == 0) return;
  Path path;
  find_path(tree, sought, Side::with, path);
  merge_upwards(tree, order, path);
  while (tree.height > 0 && separators_in(*static_cast<Inner*>(tree.top)) == 0) {
    auto* const top = static_cast<Inner*>(tree.top);
    tree.top = top->children[0];
    --tree.height;
    delete top;
  }
}

}  // namespace perdure::stores

#endif
