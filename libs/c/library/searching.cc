// Clones of tsearch and the like, and of insque (libs/abi/c_library.def). Trees are red-black trees with the nodes that
// glibc's functions make, so that both work on a tree, whoever made it: a key, the left node with the color of its
// parent's, and the right one.
#include <search.h>
#include <stdlib.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "abi/entry_points.h"
#include "c/library/callbacks.h"
#include "c/library/private_memory.h"
#include "entry/allocation.h"

extern "C" {
void* perdure_tm_malloc(std::size_t bytes);
void perdure_tm_free(void* block);
}

namespace {

using namespace perdure::c;
using Compare = int (*)(const void*, const void*);

/// The lowest bit of `left` is set in a red node.
struct Node {
  const void* key;
  std::uintptr_t left;
  Node* right;
};

enum Side : unsigned { left_side, right_side };
Side other(Side side) { return side == left_side ? right_side : left_side; }

Node* child(Node* node, Side side) {
  if (side == right_side) return read_variable(&node->right);
  return reinterpret_cast<Node*>(read_variable(&node->left) & ~std::uintptr_t{1});
}

bool is_red(Node* node) { return node != nullptr && (read_variable(&node->left) & 1) != 0; }

void set_child(Node* node, Side side, Node* child) {
  if (side == right_side)
    write_variable(&node->right, child);
  else
    write_variable(&node->left, reinterpret_cast<std::uintptr_t>(child) | (read_variable(&node->left) & 1));
}

void set_red(Node* node, bool red) {
  const std::uintptr_t before = read_variable(&node->left);
  const std::uintptr_t after = (before & ~std::uintptr_t{1}) | (red ? 1 : 0);
  if (before != after) write_variable(&node->left, after);
}

/// The way from the root to a place in the tree. A red-black tree is at most twice as high as a balanced one.
class Path {
 public:
  explicit Path(Node** root) : root_(root) {}

  std::size_t length() const { return length_; }
  Node* node(std::size_t depth) const { return steps_[depth].node; }
  Side side(std::size_t depth) const { return steps_[depth].side; }
  void push(Node* node, Side side) { steps_[length_++] = {node, side}; }
  void cut(std::size_t length) { length_ = length; }

  /// Where the pointer is that leads to the node at that depth.
  void set_at(std::size_t depth, Node* node) const {
    if (depth == 0)
      write_variable(root_, node);
    else
      set_child(steps_[depth - 1].node, steps_[depth - 1].side, node);
  }

  /// \returns the node with the key, or null; the path leads to where it is, or would be.
  template <class Order>
  Node* descend(const void* key, Order order) {
    Node* current = read_variable(root_);
    while (current != nullptr) {
      const int result = order(key, read_variable(&current->key));
      if (result == 0) return current;
      const Side side = result < 0 ? left_side : right_side;
      push(current, side);
      current = child(current, side);
    }
    return nullptr;
  }

  /// Turns the node at that depth down to `side`; its child on the other side takes its place. \returns that one.
  Node* rotate(std::size_t depth, Node* node, Side side) const {
    Node* const up = child(node, other(side));
    set_child(node, other(side), child(up, side));
    set_child(up, side, node);
    set_at(depth, up);
    return up;
  }

 private:
  struct Step {
    Node* node;
    Side side;
  };
  Node** root_;
  std::array<Step, 130> steps_;
  std::size_t length_ = 0;
};

/// Cormen et al., Introduction to Algorithms, section 13.3: the new red node may be the child of a red one.
void mend_insertion(Path& path, Node* node) {
  while (path.length() >= 2 && is_red(path.node(path.length() - 1))) {
    const std::size_t depth = path.length() - 2;
    Node* parent = path.node(depth + 1);
    Node* const grandparent = path.node(depth);
    const Side side = path.side(depth);
    Node* const uncle = child(grandparent, other(side));
    if (is_red(uncle)) {
      set_red(parent, false);
      set_red(uncle, false);
      set_red(grandparent, true);
      node = grandparent;
      path.cut(depth);
      continue;
    }
    if (path.side(depth + 1) != side) parent = path.rotate(depth + 1, parent, side);
    path.rotate(depth, grandparent, other(side));
    set_red(parent, false);
    set_red(grandparent, true);
    return;
  }
  if (path.length() == 0) set_red(node, false);
}

/// Section 13.4: the place that the path leads to lacks one black node.
void mend_removal(Path& path) {
  while (path.length() > 0) {
    std::size_t depth = path.length() - 1;
    Node* const parent = path.node(depth);
    const Side side = path.side(depth);
    Node* const here = child(parent, side);
    if (is_red(here)) return set_red(here, false);
    Node* sibling = child(parent, other(side));
    if (is_red(sibling)) {
      set_red(sibling, false);
      set_red(parent, true);
      path.rotate(depth, parent, side);
      path.cut(depth);
      path.push(sibling, side);
      path.push(parent, side);
      ++depth;
      sibling = child(parent, other(side));
    }
    Node* const near = child(sibling, side);
    Node* const far = child(sibling, other(side));
    if (!is_red(near) && !is_red(far)) {
      set_red(sibling, true);
      path.cut(depth);
      if (is_red(parent)) return set_red(parent, false);
      continue;
    }
    if (!is_red(far)) {
      set_red(near, false);
      set_red(sibling, true);
      Node* const up = child(sibling, side);
      set_child(sibling, side, child(up, other(side)));
      set_child(up, other(side), sibling);
      set_child(parent, other(side), up);
      sibling = up;
    }
    set_red(sibling, is_red(parent));
    set_red(parent, false);
    set_red(child(sibling, other(side)), false);
    path.rotate(depth, parent, side);
    return;
  }
}

void walk(const Node* node, void (*action)(const void*, VISIT, int), int level) {
  Node* const current = const_cast<Node*>(node);
  if (child(current, left_side) == nullptr && child(current, right_side) == nullptr) return action(node, leaf, level);
  action(node, preorder, level);
  if (Node* const below = child(current, left_side)) walk(below, action, level + 1);
  action(node, postorder, level);
  if (Node* const below = child(current, right_side)) walk(below, action, level + 1);
  action(node, endorder, level);
}

void walk_with(const Node* node, void (*action)(const void*, VISIT, void*), void* context) {
  Node* const current = const_cast<Node*>(node);
  if (child(current, left_side) == nullptr && child(current, right_side) == nullptr) return action(node, leaf, context);
  action(node, preorder, context);
  if (Node* const below = child(current, left_side)) walk_with(below, action, context);
  action(node, postorder, context);
  if (Node* const below = child(current, right_side)) walk_with(below, action, context);
  action(node, endorder, context);
}

void destroy(Node* node, void (*free_key)(void*)) {
  if (node == nullptr) return;
  destroy(child(node, left_side), free_key);
  destroy(child(node, right_side), free_key);
  free_key(const_cast<void*>(read_variable(&node->key)));
  perdure_tm_free(node);
}

struct Element {
  Element* next;
  Element* previous;
};

}  // namespace

extern "C" {

void* perdure_tm_tfind(const void* key, void* const* root, Compare compare) {
  if (root == nullptr) return nullptr;
  Path path(reinterpret_cast<Node**>(const_cast<void**>(root)));
  return path.descend(key, clone_of(compare, "tfind"));
}

void* perdure_tm_tsearch(const void* key, void** root, Compare compare) {
  if (root == nullptr) return nullptr;
  Path path(reinterpret_cast<Node**>(root));
  if (Node* const found = path.descend(key, clone_of(compare, "tsearch"))) return found;
  if (path.length() > 0) set_red(path.node(0), false);  // glibc leaves a red root
  auto* const node = static_cast<Node*>(perdure_tm_malloc(sizeof(Node)));
  if (node == nullptr) return nullptr;
  write_variable(node, Node{key, 1, nullptr});
  path.set_at(path.length(), node);
  mend_insertion(path, node);
  return node;
}

/// \returns the parent of the node that was deleted, as it was before.
void* perdure_tm_tdelete(const void* key, void** root, Compare compare) {
  if (root == nullptr) return nullptr;
  Path path(reinterpret_cast<Node**>(root));
  Node* const found = path.descend(key, clone_of(compare, "tdelete"));
  if (found == nullptr) return nullptr;
  void* const parent = path.length() == 0 ? static_cast<void*>(root) : path.node(path.length() - 1);
  // A node with two children gets the key of the next one, which goes in its place.
  Node* removed = found;
  if (child(found, left_side) != nullptr && child(found, right_side) != nullptr) {
    path.push(found, right_side);
    removed = child(found, right_side);
    for (Node* below = child(removed, left_side); below != nullptr; below = child(removed, left_side)) {
      path.push(removed, left_side);
      removed = below;
    }
    write_variable(&found->key, read_variable(&removed->key));
  }
  Node* const below = child(removed, child(removed, left_side) != nullptr ? left_side : right_side);
  const bool was_red = is_red(removed);
  path.set_at(path.length(), below);
  if (path.length() == 0) {
    if (below != nullptr) set_red(below, false);
  } else if (!was_red) {
    mend_removal(path);
  }
  perdure_tm_free(removed);
  return parent;
}

void perdure_tm_twalk(const void* root, void (*action)(const void*, VISIT, int)) {
  if (root != nullptr && action != nullptr) walk(static_cast<const Node*>(root), clone_of(action, "twalk"), 0);
}

void perdure_tm_twalk_r(const void* root, void (*action)(const void*, VISIT, void*), void* context) {
  if (root != nullptr && action != nullptr)
    walk_with(static_cast<const Node*>(root), clone_of(action, "twalk_r"), context);
}

void perdure_tm_tdestroy(void* root, void (*free_key)(void*)) {
  destroy(static_cast<Node*>(root), clone_of(free_key, "tdestroy"));
}

void perdure_tm_insque(void* element, void* before) {
  auto* const added = static_cast<Element*>(element);
  auto* const previous = static_cast<Element*>(before);
  if (previous == nullptr) return write_variable(added, Element{nullptr, nullptr});
  Element* const next = read_variable(&previous->next);
  write_variable(added, Element{next, previous});
  write_variable(&previous->next, added);
  if (next != nullptr) write_variable(&next->previous, added);
}

void perdure_tm_remque(void* element) {
  const Element removed = read_variable(static_cast<Element*>(element));
  if (removed.next != nullptr) write_variable(&removed.next->previous, removed.previous);
  if (removed.previous != nullptr) write_variable(&removed.previous->next, removed.next);
}

}  // extern "C"
