#ifndef PERDURE_STORES_LEVELDB_TREE_H
#define PERDURE_STORES_LEVELDB_TREE_H

#include <array>
#include <cstdint>

#include "node.h"

namespace perdure::stores {

/// The B+ tree, and what every transaction looks at: one stripe of 32 bytes.
struct alignas(32) Tree {
  Node* top = nullptr;              ///< a leaf when the height is 0
  std::uint32_t height = 0;         ///< levels above the leaves
  std::uint32_t batch_is_open = 0;  ///< 1: what has the stamp `now` is a part of a batch, and nobody sees it yet
  Stamp now = 1;                    ///< what is written gets this stamp
  Stamp written = 0;                ///< the last stamp that something was written with
};
static_assert(sizeof(Tree) == 32);

/// The way from the top to a leaf, and between which separators each node on it lies (null: no bound).
struct Path {
  struct Step {
    Inner* node;
    unsigned child;  ///< which of its children
    const Cell* low;
    const Cell* high;
  };
  static constexpr unsigned max_height = 24;  // nodes have 8 children or more when they split: far beyond any memory

  Step steps[max_height];
  unsigned height = 0;
  Leaf* leaf = nullptr;
  const Cell* low = nullptr;  ///< of the leaf
  const Cell* high = nullptr;
};

/// The leaf where the key is, or belongs.
inline Leaf* leaf_of(const Tree& tree, const Sought& sought) {
  Node* node = tree.top;
  for (std::uint32_t level = tree.height; level > 0; --level) {
    const auto& inner = *static_cast<const Inner*>(node);
    const SlotOrder order = inner.order;
    const Position at = find_position(inner, order, sought);
    node = child_at(inner, order, at.position + (at.is_there ? 1 : 0));
  }
  return static_cast<Leaf*>(node);
}

/// Which leaf of those around a key.
enum class Side {
  with,   ///< where the key is, or belongs
  before  ///< the leaf with the keys before it: another one, if the key is the lowest that its leaf may have
};

/// The same, with what lies around it.
inline void find_path(const Tree& tree, const Sought& sought, Side side, Path& path) {
  Node* node = tree.top;
  path.height = tree.height;
  path.low = path.high = nullptr;
  for (unsigned level = 0; level < path.height; ++level) {
    auto& inner = *static_cast<Inner*>(node);
    const SlotOrder order = inner.order;
    const Position at = find_position(inner, order, sought);
    const unsigned child = at.position + (at.is_there && side == Side::with ? 1 : 0);
    path.steps[level] = {&inner, child, path.low, path.high};
    if (child > 0) path.low = inner.slots[order.slot(child - 1)].cell;
    if (child < order.size()) path.high = inner.slots[order.slot(child)].cell;
    node = child_at(inner, order, child);
  }
  path.leaf = static_cast<Leaf*>(node);
}

/// The path to the first leaf, or the last.
inline void find_edge(const Tree& tree, bool is_last, Path& path) {
  Node* node = tree.top;
  path.height = tree.height;
  path.low = path.high = nullptr;
  for (unsigned level = 0; level < path.height; ++level) {
    auto& inner = *static_cast<Inner*>(node);
    const SlotOrder order = inner.order;
    const unsigned child = is_last ? order.size() : 0;
    path.steps[level] = {&inner, child, path.low, path.high};
    if (order.size() != 0) {
      if (is_last) path.low = inner.slots[order.slot(child - 1)].cell;
      else path.high = inner.slots[order.slot(0)].cell;
    }
    node = child_at(inner, order, child);
  }
  path.leaf = static_cast<Leaf*>(node);
}

}  // namespace perdure::stores

#endif
