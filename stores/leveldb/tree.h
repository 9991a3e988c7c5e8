#ifndef PERDURE_STORES_LEVELDB_TREE_H
#define PERDURE_STORES_LEVELDB_TREE_H

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
  static constexpr unsigned max_height = 16;  // nodes have 16 children or more when they split: beyond any memory

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
    node = inner.children[child_index(inner, sought, Side::with)];
    prefetch(node);
  }
  return static_cast<Leaf*>(node);
}

/// Follows the child that `choose` says of each node.
template <class Choose>
void follow(const Tree& tree, Path& path, Choose choose) {
  Node* node = tree.top;
  path.height = tree.height;
  path.low = path.high = nullptr;
  for (unsigned level = 0; level < path.height; ++level) {
    auto& inner = *static_cast<Inner*>(node);
    const unsigned child = choose(inner);
    path.steps[level] = {&inner, child, path.low, path.high};
    if (child > 0) path.low = separator_of(inner, child - 1);
    if (child < separators_in(inner)) path.high = separator_of(inner, child);
    node = inner.children[child];
    prefetch(node);
  }
  path.leaf = static_cast<Leaf*>(node);
}

inline void find_path(const Tree& tree, const Sought& sought, Side side, Path& path) {
  follow(tree, path, [&](const Inner& node) { return child_index(node, sought, side); });
}

/// The path to the first leaf, or the last.
inline void find_edge(const Tree& tree, bool is_last, Path& path) {
  follow(tree, path, [&](const Inner& node) { return is_last ? separators_in(node) : 0U; });
}

}  // namespace perdure::stores

#endif
