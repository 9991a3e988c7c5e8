#ifndef PERDURE_STORES_LEVELDB_TREE_INSERT_H
#define PERDURE_STORES_LEVELDB_TREE_INSERT_H

#include "entry.h"
#include "tree.h"

namespace perdure::stores {

/// Makes the prefixes of a node those behind the first `skip` bytes. In a bound that only shrinks, as in a split,
/// smaller ones would do, too.
template <class AnyNode>
void set_skip(AnyNode& node, const KeyOrder& order, std::uint32_t skip) {
  if (node.skip == skip) return;
  node.skip = skip;
  const SlotOrder slots = node.order;
  for (unsigned position = 0; position < slots.size(); ++position) {
    auto& slot = node.slots[slots.slot(position)];
    slot.prefix.set(prefix_of(order, newest_of(slot.cell), skip));
  }
}

template <class AnyNode>
void copy_tail(const AnyNode& from, unsigned begin, AnyNode& to) {
  const SlotOrder source = from.order;
  SlotOrder target = to.order;
  for (unsigned position = begin; position < source.size(); ++position)
    to.slots[target.insert(target.size())] = from.slots[source.slot(position)];
  to.order = target;
}

inline void truncate(Node& node, unsigned size) {
  SlotOrder order = node.order;
  order.truncate(size);
  node.order = order;
}

/// What a split has made: to be put into the parent, behind the child that was split.
struct Split {
  Cell* separator;
  Node* right;
};

/// How many slots a full node keeps when it splits for a slot at `position`. What is filled in order stays full.
inline unsigned kept_in_split(unsigned position, bool is_last_of_all) {
  return is_last_of_all && position == SlotOrder::capacity ? SlotOrder::capacity - 1 : (SlotOrder::capacity + 1) / 2;
}

inline Split split_leaf(Leaf& left, const KeyOrder& order, unsigned position, const Cell* low, const Cell* high) {
  const unsigned kept = kept_in_split(position, high == nullptr);
  const SlotOrder slots = left.order;
  const Cell* const above = newest_of(left.slots[slots.slot(kept)].cell);
  const Cell* const below = newest_of(left.slots[slots.slot(kept - 1)].cell);
  Cell* const separator = make_separator(above, parting_bytes(order, below, above));
  auto* const right = new Leaf();
  right->skip = left.skip;
  copy_tail(left, kept, *right);
  truncate(left, kept);
  set_skip(left, order, common_bytes(order, low, separator));
  set_skip(*right, order, common_bytes(order, separator, high));
  return {separator, right};
}

/// The separator in the middle goes up; its child is the right one's first.
inline Split split_inner(Inner& left, const KeyOrder& order, unsigned position, const Cell* low, const Cell* high) {
  const unsigned kept = kept_in_split(position, high == nullptr) - 1;
  const Inner::Slot middle = left.slots[left.order.slot(kept)];
  auto* const right = new Inner(middle.child);
  right->skip = left.skip;
  copy_tail(left, kept + 1, *right);
  truncate(left, kept);
  set_skip(left, order, common_bytes(order, low, middle.cell));
  set_skip(*right, order, common_bytes(order, middle.cell, high));
  return {middle.cell, right};
}

inline void put_child(Inner& node, const KeyOrder& order, unsigned position, const Split& split) {
  SlotOrder slots = node.order;
  Inner::Slot& slot = node.slots[slots.insert(position)];
  slot.prefix.set(prefix_of(order, split.separator, node.skip));
  slot.cell = split.separator;
  slot.child = split.right;
  node.order = slots;
}

/// Puts what a split has made into the nodes above, which split, too, where they are full.
inline void put_into_parents(Tree& tree, const KeyOrder& order, Path& path, Split split) {
  for (unsigned level = path.height; level-- > 0;) {
    const Path::Step& step = path.steps[level];
    Inner& node = *step.node;
    if (node.order.size() < SlotOrder::capacity) return put_child(node, order, step.child, split);
    const Split above = split_inner(node, order, step.child, step.low, step.high);
    const unsigned on_left = node.order.size();
    if (step.child <= on_left)
      put_child(node, order, step.child, split);
    else
      put_child(*static_cast<Inner*>(above.right), order, step.child - on_left - 1, split);
    split = above;
  }
  auto* const top = new Inner(tree.top);
  put_child(*top, order, 0, split);
  tree.top = top;
  ++tree.height;
}

inline void put_slot(Leaf& leaf, const KeyOrder& order, unsigned position, Cell* entry) {
  SlotOrder slots = leaf.order;
  Leaf::Slot& slot = leaf.slots[slots.insert(position)];
  slot.prefix.set(prefix_of(order, entry, leaf.skip));
  slot.cell = entry;
  leaf.order = slots;
}

/// Puts an entry, whose key is not there, at its position in its leaf, which may be full.
inline void insert_entry(Tree& tree, const Sought& sought, const KeyOrder& order, Leaf* leaf, unsigned position,
                         Cell* entry) {
  if (leaf->order.size() < SlotOrder::capacity) return put_slot(*leaf, order, position, entry);
  Path path;
  find_path(tree, sought, Side::with, path);
  const Split split = split_leaf(*leaf, order, position, path.low, path.high);
  const unsigned on_left = leaf->order.size();
  if (compare(sought, split.separator) < 0)
    put_slot(*leaf, order, position, entry);
  else
    put_slot(*static_cast<Leaf*>(split.right), order, position - on_left, entry);
  put_into_parents(tree, order, path, split);
}

}  // namespace perdure::stores

#endif
