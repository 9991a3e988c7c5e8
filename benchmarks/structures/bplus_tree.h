#ifndef PERDURE_BENCHMARKS_BPLUS_TREE_H
#define PERDURE_BENCHMARKS_BPLUS_TREE_H

#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "bplus_tree_check.h"
#include "bplus_tree_node.h"

namespace perdure::benchmarks {

/// A B+ tree of small values by key, with linked leaves. Nodes have 256 bytes and up to 15 entries, which stay in
/// their slots while a word in the node keeps their order, so that an insertion writes one entry and that word.
///
/// Insertions and removals first try the leaf alone. If it is full (or has the fewest entries allowed), the tree is
/// descended again, and every node on the way that is full (or has the fewest) is split (or refilled) before it is
/// entered, so that its parent can always take (or lose) an entry. Nodes but the root are always at least 7/15 full: a
/// node that would fall below takes entries from a neighbour, or is merged with it.
///
/// It is ordinary C++ and knows nothing of transactions.
/// \tparam Value  8 bytes that can be copied as they are.
template <class Value>
class BPlusTree {
  using Node = bplus_tree::Node;
  using Inner = bplus_tree::Inner;
  using Leaf = bplus_tree::NodeOf<Value>;
  static_assert(sizeof(Inner) == 256 && sizeof(Leaf) == 256, "four cache lines each");

 public:
  /// A position in the tree, from which it can be read in the order of the keys. A change of the tree invalidates it.
  class Iterator {
   public:
    Iterator(Leaf* leaf, std::size_t position) : leaf_(leaf), order_(leaf->order), position_(position) {
      skip_to_entry();
    }

    Key key() const { return leaf_->entries[order_.slot(position_)].key; }
    Value& value() const { return leaf_->entries[order_.slot(position_)].payload; }

    Iterator& operator++() {
      ++position_;
      skip_to_entry();
      return *this;
    }

    bool operator==(std::default_sentinel_t) const { return leaf_ == nullptr; }

   private:
    void skip_to_entry() {
      while (leaf_ != nullptr && position_ == order_.size()) {
        leaf_ = static_cast<Leaf*>(leaf_->link);
        if (leaf_ != nullptr) order_ = leaf_->order;
        position_ = 0;
      }
    }

    Leaf* leaf_;  // null: past the end
    SlotOrder order_;
    std::size_t position_;
  };

  BPlusTree() : root_(new Leaf()) {}
  BPlusTree(const BPlusTree&) = delete;
  BPlusTree& operator=(const BPlusTree&) = delete;
  ~BPlusTree() { destroy(root_, height_); }

  /// The value of this key, or null.
  Value* find(Key key) const {
    Leaf& leaf = leaf_for(key);
    const SlotOrder order = leaf.order;
    const auto position = leaf.lower_bound(order, key);
    return holds(leaf, order, position, key) ? &leaf.entries[order.slot(position)].payload : nullptr;
  }

  /// Adds the value unless the key is there already.
  /// \returns the value with this key, and whether it was added.
  std::pair<Value*, bool> insert(Key key, Value value) {
    Leaf* leaf = &leaf_for(key);
    SlotOrder order = leaf->order;
    auto position = leaf->lower_bound(order, key);
    if (holds(*leaf, order, position, key)) return {&leaf->entries[order.slot(position)].payload, false};
    if (order.is_full()) {
      split_down_to(key);
      leaf = &leaf_for(key);
      order = leaf->order;
      position = leaf->lower_bound(order, key);
    }
    auto& entry = leaf->entries[order.insert(position)];
    entry.key = key;
    entry.payload = value;
    leaf->order = order;
    return {&entry.payload, true};
  }

  /// \returns whether the key was there.
  bool erase(Key key) {
    Leaf* leaf = &leaf_for(key);
    SlotOrder order = leaf->order;
    auto position = leaf->lower_bound(order, key);
    if (!holds(*leaf, order, position, key)) return false;
    if (height_ > 0 && order.size() == Node::fewest) {
      refill_down_to(key);
      leaf = &leaf_for(key);
      order = leaf->order;
      position = leaf->lower_bound(order, key);
    }
    order.erase(position);
    leaf->order = order;
    return true;
  }

  /// The first entry whose key is not below `key`.
  Iterator lower_bound(Key key) const {
    Leaf& leaf = leaf_for(key);
    return Iterator(&leaf, leaf.lower_bound(leaf.order, key));
  }

  Iterator begin() const { return lower_bound(0); }
  std::default_sentinel_t end() const { return std::default_sentinel; }

  /// What is wrong with the tree's structure, one a line: order, fill, depth, links. Runs alone.
  std::vector<std::string> violations() const { return bplus_tree::Check<Value>(root_, height_).violations(); }

 private:
  Leaf& leaf_for(Key key) const {
    Node* node = root_;
    for (auto level = height_; level > 0; --level) node = bplus_tree::child_for(inner(node), key);
    return *static_cast<Leaf*>(node);
  }

  static Inner& inner(Node* node) { return *static_cast<Inner*>(node); }
  static Leaf& leaf_at(Node* node) { return *static_cast<Leaf*>(node); }

  static bool holds(const Leaf& leaf, SlotOrder order, std::size_t position, Key key) {
    return position < order.size() && leaf.entries[order.slot(position)].key == key;
  }

  // Splits every full node on the way to the key.
  void split_down_to(Key key) {
    if (root_->order.is_full()) {
      auto* root = new Inner();
      root->link = root_;
      root_ = root;
      ++height_;
    }
    Node* node = root_;
    for (auto level = height_; level > 0; --level) {
      auto position = inner(node).upper_bound(node->order, key);
      if (child(node, position)->order.is_full()) {
        split_child(inner(node), position, level == 1);
        position = inner(node).upper_bound(node->order, key);
      }
      node = child(node, position);
    }
  }

  static Node* child(Node* node, std::size_t position) {
    return bplus_tree::child_of(inner(node), node->order, position);
  }

  static void split_child(Inner& parent, std::size_t position, bool children_are_leaves) {
    Node* full = child(&parent, position);
    if (children_are_leaves) {
      split_leaf(parent, position, leaf_at(full));
    } else {
      split_inner(parent, position, inner(full));
    }
  }

  static void split_leaf(Inner& parent, std::size_t position, Leaf& left) {
    constexpr std::size_t kept = Node::capacity - Node::fewest;
    auto* right = new Leaf();
    left.copy_tail(kept, *right);
    left.truncate(kept);
    right->link = left.link;
    left.link = right;
    parent.insert(position, right->at(0).key, right);
  }

  // The entry in the middle goes up: its key parts the halves, its child is the right one's first.
  static void split_inner(Inner& parent, std::size_t position, Inner& left) {
    constexpr std::size_t kept = Node::fewest;
    const auto middle = left.at(kept);
    auto* right = new Inner();
    left.copy_tail(kept + 1, *right);
    left.truncate(kept);
    right->link = middle.payload;
    parent.insert(position, middle.key, right);
  }

  // Gives an entry more to every node on the way to the key that has the fewest, or merges it with its neighbour.
  void refill_down_to(Key key) {
    Node* node = root_;
    for (auto level = height_; level > 0; --level) {
      auto position = inner(node).upper_bound(node->order, key);
      if (child(node, position)->order.size() == Node::fewest) {
        refill_child(inner(node), position, level == 1);
        position = inner(node).upper_bound(node->order, key);
      }
      node = child(node, position);
    }
    while (height_ > 0 && root_->order.size() == 0) {
      Inner* empty = &inner(root_);
      root_ = empty->link;
      --height_;
      delete empty;
    }
  }

  static void refill_child(Inner& parent, std::size_t position, bool children_are_leaves) {
    const std::size_t parting = position == 0 ? 0 : position - 1;  // the parent's entry between the two
    Node* left = child(&parent, parting);
    Node* right = child(&parent, parting + 1);
    if (children_are_leaves) {
      refill(parent, parting, leaf_at(left), leaf_at(right));
    } else {
      refill(parent, parting, inner(left), inner(right));
    }
  }

  template <class AnyNode>
  static void refill(Inner& parent, std::size_t parting, AnyNode& left, AnyNode& right) {
    const auto on_left = left.order.size(), on_right = right.order.size();
    if (on_left + on_right == 2 * Node::fewest) return merge(parent, parting, left, right);
    auto& between = parent.at(parting);
    if (on_left > on_right) {
      for (auto more = (on_left - on_right + 1) / 2; more > 0; --more) move_right(between, left, right);
    } else {
      for (auto more = (on_right - on_left + 1) / 2; more > 0; --more) move_left(between, left, right);
    }
  }

  static void merge(Inner& parent, std::size_t parting, Leaf& left, Leaf& right) {
    right.copy_tail(0, left);
    left.link = right.link;
    parent.remove(parting);
    delete &right;
  }

  static void merge(Inner& parent, std::size_t parting, Inner& left, Inner& right) {
    left.append({parent.remove(parting).key, right.link});
    right.copy_tail(0, left);
    delete &right;
  }

  static void move_right(Inner::Entry& parting, Leaf& left, Leaf& right) {
    const auto moved = left.remove(left.order.size() - 1);
    right.insert(0, moved.key, moved.payload);
    parting.key = moved.key;
  }

  static void move_right(Inner::Entry& parting, Inner& left, Inner& right) {
    const auto moved = left.remove(left.order.size() - 1);
    right.insert(0, parting.key, right.link);
    right.link = moved.payload;
    parting.key = moved.key;
  }

  static void move_left(Inner::Entry& parting, Leaf& left, Leaf& right) {
    left.append(right.remove(0));
    parting.key = right.at(0).key;
  }

  static void move_left(Inner::Entry& parting, Inner& left, Inner& right) {
    const auto moved = right.remove(0);
    left.append({parting.key, right.link});
    right.link = moved.payload;
    parting.key = moved.key;
  }

  static void destroy(Node* node, std::size_t height) {
    if (height == 0) {
      delete static_cast<Leaf*>(node);
      return;
    }
    for (std::size_t position = 0; position <= node->order.size(); ++position) {
      destroy(child(node, position), height - 1);
    }
    delete static_cast<Inner*>(node);
  }

  Node* root_;
  std::size_t height_ = 0;  // levels above the leaves
};

}  // namespace perdure::benchmarks

#endif
