// Clones of the red-black tree functions that libstdc++ keeps in its shared object (std::map, set, multimap, multiset).
// This file is compiled with the plugin, so it is ordinary code over libstdc++'s node type.
//
// The header node holds the root as its parent and the first and last nodes as its children; the root's parent is the
// header. It is red, which tells it from the (black) root.
#include <map>
#include <utility>

namespace {

using Node = std::_Rb_tree_node_base;
constexpr auto red = std::_S_red;
constexpr auto black = std::_S_black;
using Child = Node* Node::*;

constexpr Child opposite(Child side) { return side == &Node::_M_left ? &Node::_M_right : &Node::_M_left; }

bool is_red(const Node* node) { return node != nullptr && node->_M_color == red; }

/// Puts `replacement` (may be null) where `node` hangs.
void replace_child(Node* node, Node* replacement, Node*& root) {
  Node* const parent = node->_M_parent;
  if (node == root)
    root = replacement;
  else if (node == parent->_M_left)
    parent->_M_left = replacement;
  else
    parent->_M_right = replacement;
  if (replacement != nullptr) replacement->_M_parent = parent;
}

/// The child of `node` opposite to `side` takes its place, and `node` goes down to `side`.
void rotate(Node* node, Child side, Node*& root) {
  Node* const risen = node->*opposite(side);
  node->*opposite(side) = risen->*side;
  if (risen->*side != nullptr) (risen->*side)->_M_parent = node;
  replace_child(node, risen, root);
  risen->*side = node;
  node->_M_parent = risen;
}

/// `node` is red; restores that no red node has a red parent. (CLRS, section 13.3.)
void repair_after_insertion(Node* node, Node*& root) {
  while (node != root && is_red(node->_M_parent)) {
    Node* parent = node->_M_parent;
    Node* const grandparent = parent->_M_parent;
    const Child side = parent == grandparent->_M_left ? &Node::_M_left : &Node::_M_right;
    Node* const uncle = grandparent->*opposite(side);
    if (is_red(uncle)) {
      parent->_M_color = uncle->_M_color = black;
      grandparent->_M_color = red;
      node = grandparent;
      continue;
    }
    if (node == parent->*opposite(side)) {
      rotate(parent, side, root);
      parent = node;
    }
    parent->_M_color = black;
    grandparent->_M_color = red;
    rotate(grandparent, opposite(side), root);
    break;
  }
  root->_M_color = black;
}

/// The paths through `node` (may be null, below `parent`) are one black node short; restores the balance. (CLRS,
/// section 13.4.)
void repair_after_removal(Node* node, Node* parent, Node*& root) {
  while (node != root && !is_red(node)) {
    const Child side = node == parent->_M_left ? &Node::_M_left : &Node::_M_right;
    Node* sibling = parent->*opposite(side);
    if (is_red(sibling)) {
      sibling->_M_color = black;
      parent->_M_color = red;
      rotate(parent, side, root);
      sibling = parent->*opposite(side);
    }
    if (!is_red(sibling->_M_left) && !is_red(sibling->_M_right)) {
      sibling->_M_color = red;
      node = parent;
      parent = parent->_M_parent;
      continue;
    }
    if (!is_red(sibling->*opposite(side))) {
      (sibling->*side)->_M_color = black;
      sibling->_M_color = red;
      rotate(sibling, opposite(side), root);
      sibling = parent->*opposite(side);
    }
    sibling->_M_color = parent->_M_color;
    parent->_M_color = (sibling->*opposite(side))->_M_color = black;
    rotate(parent, side, root);
    break;
  }
  if (node != nullptr) node->_M_color = black;
}

Node* outermost(Node* node, Child side) {
  while (node->*side != nullptr) node = node->*side;
  return node;
}

/// The next node towards `side`; past the last one, the header.
Node* step(Node* node, Child side) {
  if (node->*side != nullptr) return outermost(node->*side, opposite(side));
  Node* parent = node->_M_parent;
  while (node == parent->*side) {
    node = parent;
    parent = parent->_M_parent;
  }
  // From the root of a tree that has nothing on `side`, the climb ends with the header as `node`.
  return node->*side == parent ? node : parent;
}

/// Takes `node`, which has at most one child, out of the tree.
void remove_simple(Node* node, Node& header) {
  Node*& root = header._M_parent;
  Node* const child = node->_M_left != nullptr ? node->_M_left : node->_M_right;
  Node* const parent = node->_M_parent;
  if (header._M_left == node) header._M_left = child != nullptr ? outermost(child, &Node::_M_left) : parent;
  if (header._M_right == node) header._M_right = child != nullptr ? outermost(child, &Node::_M_right) : parent;
  replace_child(node, child, root);
  if (node->_M_color == black) repair_after_removal(child, parent, root);
}

/// Exchanges the places (and colours) of a node with two children and its successor, which has no left child.
void exchange_with_successor(Node* node, Node* successor, Node*& root) {
  Node* const successor_parent = successor->_M_parent;
  Node* const successor_right = successor->_M_right;
  std::swap(node->_M_color, successor->_M_color);
  replace_child(node, successor, root);
  successor->_M_left = node->_M_left;
  successor->_M_left->_M_parent = successor;
  if (successor_parent == node) {
    successor->_M_right = node;
    node->_M_parent = successor;
  } else {
    successor->_M_right = node->_M_right;
    successor->_M_right->_M_parent = successor;
    successor_parent->_M_left = node;
    node->_M_parent = successor_parent;
  }
  node->_M_left = nullptr;
  node->_M_right = successor_right;
  if (successor_right != nullptr) successor_right->_M_parent = node;
}

}  // namespace

namespace perdure::provided {

[[perdure::implements("_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_")]]
void tree_insert_and_rebalance(bool insert_left, Node* node, Node* parent, Node& header) {
  node->_M_parent = parent;
  node->_M_left = node->_M_right = nullptr;
  node->_M_color = red;
  if (parent == &header) {  // the first node
    header._M_parent = header._M_left = header._M_right = node;
  } else if (insert_left) {
    parent->_M_left = node;
    if (parent == header._M_left) header._M_left = node;
  } else {
    parent->_M_right = node;
    if (parent == header._M_right) header._M_right = node;
  }
  repair_after_insertion(node, header._M_parent);
}

[[perdure::implements("_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_")]]
Node* tree_rebalance_for_erase(Node* node, Node& header) {
  if (node->_M_left != nullptr && node->_M_right != nullptr)
    exchange_with_successor(node, outermost(node->_M_right, &Node::_M_left), header._M_parent);
  remove_simple(node, header);
  return node;
}

[[perdure::implements("_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base")]]
Node* tree_increment(Node* node) {
  return step(node, &Node::_M_right);
}

[[perdure::implements("_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base")]]
const Node* tree_increment_const(const Node* node) {
  return step(const_cast<Node*>(node), &Node::_M_right);
}

[[perdure::implements("_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base")]]
Node* tree_decrement(Node* node) {
  // From the header (one past the last) to the last.
  if (node->_M_color == red && node->_M_parent->_M_parent == node) return node->_M_right;
  return step(node, &Node::_M_left);
}

[[perdure::implements("_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base")]]
const Node* tree_decrement_const(const Node* node) {
  return tree_decrement(const_cast<Node*>(node));
}

}  // namespace perdure::provided
