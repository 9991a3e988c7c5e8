#ifndef PERDURE_BENCHMARKS_RED_BLACK_TREE_H
#define PERDURE_BENCHMARKS_RED_BLACK_TREE_H

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "key.h"
#include "red_black_tree_check.h"

namespace perdure::benchmarks {

/// A red-black tree of small values by key (Guibas and Sedgewick). Nodes have no parent pointers: an update remembers
/// its path from the root on the stack, and so writes half as much when it rotates.
///
/// It is ordinary C++ and knows nothing of transactions.
template <class Value>
class RedBlackTree {
  using Node = red_black_tree::Node<Value>;
  using Side = red_black_tree::Side;

 public:
  RedBlackTree() = default;
  RedBlackTree(const RedBlackTree&) = delete;
  RedBlackTree& operator=(const RedBlackTree&) = delete;
  ~RedBlackTree() { destroy(root_); }

  /// The value of this key, or null. It stays in place until a key is erased.
  Value* find(Key key) const {
    Node* node = root_;
    while (node != nullptr && node->key != key) node = node->child[key > node->key];
    return node == nullptr ? nullptr : &node->value;
  }

  /// \returns whether the value was added: it is not when the key is there already.
  bool insert(Key key, Value value) {
    Path path;
    for (Node* node = root_; node != nullptr; node = node->child[path.side()]) {
      if (node->key == key) return false;
      path.push(node, key > node->key);
    }
    link(path, path.depth()) = new Node{key, {nullptr, nullptr}, true, value};
    repair_insertion(path);
    return true;
  }

  /// \returns whether the key was there.
  bool erase(Key key) {
    Path path;
    Node* found = root_;
    while (found != nullptr && found->key != key) {
      path.push(found, key > found->key);
      found = found->child[path.side()];
    }
    if (found == nullptr) return false;
    Node* removed = found;
    if (found->child[0] != nullptr && found->child[1] != nullptr) {
      removed = descend_to_successor(path, found);
      found->key = removed->key;
      found->value = removed->value;
    }
    unlink(path, removed);
    return true;
  }

  /// Calls `visit(key, value)` for every entry, in the order of the keys.
  template <class Visit>
  void for_each(Visit visit) const {
    for_each_below(root_, visit);
  }

  /// What is wrong with the tree's structure, one a line: order, colours, black height. Runs alone.
  std::vector<std::string> violations() const { return red_black_tree::Check<Value>(root_).violations(); }

 private:
  // The nodes from the root down, each with the side on which the path goes on.
  class Path {
   public:
    void push(Node* node, Side side) {
      nodes_[depth_] = node;
      sides_[depth_++] = side;
    }
    void pop() { --depth_; }

    std::size_t depth() const { return depth_; }
    Side side() const { return sides_[depth_ - 1]; }
    Node* last() const { return nodes_[depth_ - 1]; }

    Node* node(std::size_t at) const { return nodes_[at]; }
    Side side(std::size_t at) const { return sides_[at]; }

    // A rotation has put `above` over the last node.
    void insert_above_last(Node* above, Side side) {
      Node* node = last();
      nodes_[depth_ - 1] = above;
      push(node, side);
    }

   private:
    std::array<Node*, red_black_tree::deepest> nodes_;
    std::array<Side, red_black_tree::deepest> sides_;
    std::size_t depth_ = 0;
  };

  static bool is_red(const Node* node) { return node != nullptr && node->is_red; }

  // The pointer that leads to the path's node number `at`.
  Node*& link(const Path& path, std::size_t at) {
    return at == 0 ? root_ : path.node(at - 1)->child[path.side(at - 1)];
  }

  // Turns `node` down to `side`.
  // \returns the child that came up in its place.
  static Node* rotate(Node* node, Side side) {
    Node* top = node->child[!side];
    node->child[!side] = top->child[side];
    top->child[side] = node;
    return top;
  }

  // The path ends at the parent of a new red node.
  void repair_insertion(Path& path) {
    while (path.depth() >= 2 && path.last()->is_red) {
      const std::size_t above = path.depth() - 2;
      Node* parent = path.last();
      Node* grandparent = path.node(above);
      const Side side = path.side(above);
      Node* uncle = grandparent->child[!side];
      if (!is_red(uncle)) {
        if (path.side() != side) grandparent->child[side] = parent = rotate(parent, side);
        parent->is_red = false;
        grandparent->is_red = true;
        link(path, above) = rotate(grandparent, !side);
        return;
      }
      parent->is_red = uncle->is_red = false;
      grandparent->is_red = true;  // which may now be below another red one
      path.pop();
      path.pop();
    }
    if (root_->is_red) root_->is_red = false;
  }

  static Node* descend_to_successor(Path& path, Node* node) {
    path.push(node, 1);
    for (node = node->child[1]; node->child[0] != nullptr; node = node->child[0]) path.push(node, 0);
    return node;
  }

  // Takes out a node with at most one child; the path ends at its parent.
  void unlink(Path& path, Node* removed) {
    Node* child = removed->child[removed->child[0] == nullptr];
    link(path, path.depth()) = child;
    const bool was_red = removed->is_red;
    delete removed;
    if (was_red) return;
    if (is_red(child)) {
      child->is_red = false;
    } else {
      repair_removal(path);
    }
  }

  // Below the path's end there is one black node too few.
  void repair_removal(Path& path) {
    for (; path.depth() > 0; path.pop()) {
      Node* parent = path.last();
      const Side side = path.side();
      if (is_red(parent->child[!side])) {
        parent->is_red = true;
        parent->child[!side]->is_red = false;
        Node* top = rotate(parent, side);
        link(path, path.depth() - 1) = top;
        path.insert_above_last(top, side);
      }
      Node* sibling = parent->child[!side];
      if (is_red(sibling->child[0]) || is_red(sibling->child[1])) return move_black(path, parent, side);
      sibling->is_red = true;
      if (parent->is_red) {
        parent->is_red = false;
        return;
      }
    }
  }

  // Takes a black node over from the sibling's side, which has a red one.
  void move_black(const Path& path, Node* parent, Side side) {
    Node* sibling = parent->child[!side];
    if (!is_red(sibling->child[!side])) {
      sibling->is_red = true;
      parent->child[!side] = sibling = rotate(sibling, !side);
    }
    sibling->is_red = parent->is_red;
    parent->is_red = false;
    sibling->child[!side]->is_red = false;
    link(path, path.depth() - 1) = rotate(parent, side);
  }

  template <class Visit>
  static void for_each_below(const Node* node, Visit& visit) {
    if (node == nullptr) return;
    for_each_below(node->child[0], visit);
    visit(node->key, node->value);
    for_each_below(node->child[1], visit);
  }

  static void destroy(Node* node) {
    if (node == nullptr) return;
    destroy(node->child[0]);
    destroy(node->child[1]);
    delete node;
  }

  Node* root_ = nullptr;
};

}  // namespace perdure::benchmarks

#endif
