#ifndef PERDURE_BENCHMARKS_SORTED_LIST_H
#define PERDURE_BENCHMARKS_SORTED_LIST_H

#include <string>
#include <vector>

#include "key.h"

namespace perdure::benchmarks {

/// A set of keys as a sorted linked list.
///
/// It is ordinary C++ and knows nothing of transactions.
class SortedList {
 public:
  SortedList() = default;
  SortedList(const SortedList&) = delete;
  SortedList& operator=(const SortedList&) = delete;
  ~SortedList() {
    while (first_ != nullptr) erase(first_->key);
  }

  bool contains(Key key) const {
    const Node* node = first_;
    while (node != nullptr && node->key < key) node = node->next;
    return node != nullptr && node->key == key;
  }

  /// \returns whether the key was added: it is not when it is there already.
  bool insert(Key key) {
    Node*& link = link_to(key);
    Node* next = link;
    if (next != nullptr && next->key == key) return false;
    link = new Node{key, next};
    return true;
  }

  /// \returns whether the key was there.
  bool erase(Key key) {
    Node*& link = link_to(key);
    Node* found = link;
    if (found == nullptr || found->key != key) return false;
    link = found->next;
    delete found;
    return true;
  }

  /// Calls `visit(key)` for every key, in their order.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Node* node = first_; node != nullptr; node = node->next) visit(node->key);
  }

  /// Whether the list is not sorted, in a line. Runs alone.
  std::vector<std::string> violations() const {
    for (const Node* node = first_; node != nullptr && node->next != nullptr; node = node->next) {
      if (node->next->key <= node->key) return {"list: key " + std::to_string(node->key) + " is not below the next"};
    }
    return {};
  }

 private:
  struct Node {
    Key key;
    Node* next;
  };

  // The pointer to the first node whose key is not below `key`.
  Node*& link_to(Key key) {
    Node** link = &first_;
    for (Node* node = *link; node != nullptr && node->key < key; node = *link) link = &node->next;
    return *link;
  }

  Node* first_ = nullptr;
};

}  // namespace perdure::benchmarks

#endif
