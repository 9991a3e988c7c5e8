#ifndef PERDURE_BENCHMARKS_BPLUS_TREE_CHECK_H
#define PERDURE_BENCHMARKS_BPLUS_TREE_CHECK_H

#include <bitset>
#include <limits>
#include <string>
#include <vector>

#include "bplus_tree_node.h"

namespace perdure::benchmarks::bplus_tree {

/// Walks a B+ tree and says what is wrong with it.
template <class Value>
class Check {
 public:
  Check(const Node* root, std::size_t height) : root_(root) {
    constexpr Bounds everything{0, std::numeric_limits<Key>::max()};
    check_below(root, height, everything);
    if (last_leaf_ != nullptr && last_leaf_->link != nullptr) tell(everything, "has a leaf linked past its last one");
  }

  const std::vector<std::string>& violations() const { return violations_; }

 private:
  using Leaf = NodeOf<Value>;

  // The keys a node may hold, both included.
  struct Bounds {
    Key lowest;
    Key highest;
  };

  void check_below(const Node* node, std::size_t height, Bounds bounds) {
    if (node == nullptr) return tell(bounds, "is missing");
    if (!is_permutation(node->order)) return tell(bounds, "has a slot at no position");
    if (node != root_ && node->order.size() < Node::fewest) tell(bounds, "has too few entries");
    if (height == 0) return check_leaf(static_cast<const Leaf&>(*node), bounds);
    const auto& inner = static_cast<const Inner&>(*node);
    if (node->order.size() == 0) tell(bounds, "is an inner node with one child");
    check_order(inner, bounds);
    for (std::size_t position = 0; position <= node->order.size(); ++position) {
      check_below(child_of(inner, inner.order, position), height - 1, child_bounds(inner, position, bounds));
    }
  }

  void check_leaf(const Leaf& leaf, Bounds bounds) {
    check_order(leaf, bounds);
    // In the order of the walk, each leaf is the one that the leaf before it links to.
    if (last_leaf_ != nullptr && last_leaf_->link != &leaf) tell(bounds, "is not linked from the leaf before it");
    last_leaf_ = &leaf;
  }

  static Bounds child_bounds(const Inner& node, std::size_t position, Bounds bounds) {
    if (position > 0) bounds.lowest = node.at(position - 1).key;
    if (position < node.order.size()) bounds.highest = node.at(position).key - 1;
    return bounds;
  }

  template <class Payload>
  void check_order(const NodeOf<Payload>& node, Bounds bounds) {
    for (std::size_t position = 0; position < node.order.size(); ++position) {
      const Key key = node.at(position).key;
      if (key < bounds.lowest || key > bounds.highest) tell(bounds, "holds key " + std::to_string(key));
      if (position > 0 && node.at(position - 1).key >= key) tell(bounds, "is not sorted at key " + std::to_string(key));
    }
  }

  static bool is_permutation(SlotOrder order) {
    std::bitset<SlotOrder::capacity + 1> found;
    for (std::size_t position = 0; position < SlotOrder::capacity; ++position) found.set(order.slot(position));
    return found.count() == SlotOrder::capacity && !found.test(SlotOrder::capacity);
  }

  // A node is named by the keys it may hold; addresses would mean nothing to the reader.
  void tell(Bounds bounds, const std::string& what) {
    violations_.push_back("B+ tree: the node of keys " + std::to_string(bounds.lowest) + " to " +
                          std::to_string(bounds.highest) + " " + what);
  }

  const Node* root_;
  const Leaf* last_leaf_ = nullptr;
  std::vector<std::string> violations_;
};

}  // namespace perdure::benchmarks::bplus_tree

#endif
