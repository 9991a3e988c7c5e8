#ifndef PERDURE_BENCHMARKS_RED_BLACK_TREE_CHECK_H
#define PERDURE_BENCHMARKS_RED_BLACK_TREE_CHECK_H

#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "key.h"

namespace perdure::benchmarks::red_black_tree {

/// 0: left, of the smaller keys; 1: right.
using Side = bool;

/// More levels than any tree has: at most 2 log2(n + 1), which 2^48 nodes do not reach.
inline constexpr std::size_t deepest = 96;

template <class Value>
struct Node {
  Key key;
  std::array<Node*, 2> child;
  bool is_red;
  Value value;
};

/// Walks a tree and says what is wrong with it.
template <class Value>
class Check {
 public:
  explicit Check(const Node<Value>* root) {
    if (root != nullptr && root->is_red) tell(*root, "is the root and red");
    check_below(root, {0, std::numeric_limits<Key>::max()}, 0);
  }

  const std::vector<std::string>& violations() const { return violations_; }

 private:
  // The keys that may be below a link, both included.
  struct Bounds {
    Key lowest;
    Key highest;
  };

  // Returns the number of black nodes on any way down.
  std::size_t check_below(const Node<Value>* node, Bounds bounds, std::size_t depth) {
    if (node == nullptr) return 0;
    if (depth == deepest) {
      tell(*node, "is too deep");
      return 0;
    }
    if (node->key < bounds.lowest || node->key > bounds.highest) tell(*node, "is out of order");
    const auto left = check_child(*node, 0, {bounds.lowest, node->key == 0 ? 0 : node->key - 1}, depth);
    const auto right = check_child(*node, 1, {node->key + 1, bounds.highest}, depth);
    if (left != right) tell(*node, "has more black nodes on one side than on the other");
    return left + (node->is_red ? 0 : 1);
  }

  std::size_t check_child(const Node<Value>& parent, Side side, Bounds bounds, std::size_t depth) {
    const auto* child = parent.child[side];
    if (child != nullptr && parent.is_red && child->is_red) tell(*child, "is red below a red node");
    return check_below(child, bounds, depth + 1);
  }

  void tell(const Node<Value>& node, const std::string& what) {
    violations_.push_back("red-black tree: key " + std::to_string(node.key) + " " + what);
  }

  std::vector<std::string> violations_;
};

}  // namespace perdure::benchmarks::red_black_tree

#endif
