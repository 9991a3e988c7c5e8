// Clones of the list functions that libstdc++ keeps in its shared object (std::list). Compiled with the plugin.
#include <list>
#include <utility>

namespace perdure::provided {

using Node = std::__detail::_List_node_base;

namespace {

void connect(Node* before, Node* after) {
  before->_M_next = after;
  after->_M_prev = before;
}

}  // namespace

[[perdure::implements("_ZNSt8__detail15_List_node_base7_M_hookEPS0_")]]
void list_hook(Node* node, Node* position) {
  connect(position->_M_prev, node);
  connect(node, position);
}

[[perdure::implements("_ZNSt8__detail15_List_node_base9_M_unhookEv")]]
void list_unhook(Node* node) {
  connect(node->_M_prev, node->_M_next);
}

/// Moves [first, last) before `position`.
[[perdure::implements("_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_")]]
void list_transfer(Node* position, Node* first, Node* last) {
  if (position == last) return;
  Node* const last_moved = last->_M_prev;
  connect(first->_M_prev, last);
  Node* const before = position->_M_prev;
  connect(before, first);
  connect(last_moved, position);
}

[[perdure::implements("_ZNSt8__detail15_List_node_base10_M_reverseEv")]]
void list_reverse(Node* head) {
  Node* node = head;
  do {
    std::swap(node->_M_next, node->_M_prev);
    node = node->_M_prev;  // what was next
  } while (node != head);
}

[[perdure::implements("_ZNSt8__detail15_List_node_base4swapERS0_S1_")]]
void list_swap(Node& left, Node& right) {
  const bool left_is_empty = left._M_next == &left;
  const bool right_is_empty = right._M_next == &right;
  Node* const left_first = left._M_next;
  Node* const left_last = left._M_prev;
  if (right_is_empty) {
    connect(&left, &left);
  } else {
    Node* const right_last = right._M_prev;
    connect(&left, right._M_next);
    connect(right_last, &left);
  }
  if (left_is_empty) {
    connect(&right, &right);
  } else {
    connect(&right, left_first);
    connect(left_last, &right);
  }
}

}  // namespace perdure::provided
