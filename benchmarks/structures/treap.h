#ifndef PERDURE_BENCHMARKS_TREAP_H
#define PERDURE_BENCHMARKS_TREAP_H

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "key.h"

namespace perdure::benchmarks {

/// A set of keys as a treap (Seidel and Aragon): a search tree by key and a heap by priority, which keeps it balanced
/// if priorities are random. A key's hash is its priority. So no two are equal, the tree's form depends on nothing but
/// its keys, and a transaction that is run again does the same.
///
/// It is ordinary C++ and knows nothing of transactions.
class Treap {
 public:
  Treap() = default;
  Treap(const Treap&) = delete;
  Treap& operator=(const Treap&) = delete;
  ~Treap() { destroy(root_); }

  bool contains(Key key) const {
    const Node* node = root_;
    while (node != nullptr && node->key != key) node = node->child[key > node->key];
    return node != nullptr;
  }

  /// \returns whether the key was added: it is not when it is there already.
  bool insert(Key key) {
    const auto priority = hash_of(key);
    Node** link = &root_;
    Node* node = *link;
    for (; node != nullptr && node->priority > priority; node = *link) link = &node->child[key > node->key];
    if (node != nullptr && node->key == key) return false;
    auto* added = new Node{key, priority, {nullptr, nullptr}};
    split(node, *added);
    *link = added;
    return true;
  }

  /// \returns whether the key was there.
  bool erase(Key key) {
    Node** link = &root_;
    Node* found = *link;
    for (; found != nullptr && found->key != key; found = *link) link = &found->child[key > found->key];
    if (found == nullptr) return false;
    join(link, found->child[0], found->child[1]);
    delete found;
    return true;
  }

  /// Calls `visit(key)` for every key, in their order.
  template <class Visit>
  void for_each(Visit visit) const {
    for_each_below(root_, visit);
  }

  /// What is wrong with the tree's structure, one a line: order, priorities. Runs alone.
  std::vector<std::string> violations() const {
    std::vector<std::string> found;
    check_below(root_, nullptr, nullptr, found);
    return found;
  }

 private:
  struct Node {
    Key key;
    std::uint64_t priority;
    std::array<Node*, 2> child;  // of smaller keys, of larger ones
  };

  // Deals out the nodes below `node` to the sides of `parent`, on which there is nothing yet.
  static void split(Node* node, Node& parent) {
    std::array<Node**, 2> links = {&parent.child[0], &parent.child[1]};
    while (node != nullptr) {
      const bool side = node->key > parent.key;
      Node*& next = node->child[!side];
      *links[side] = node;
      links[side] = &next;
      node = next;
    }
    *links[0] = *links[1] = nullptr;
  }

  // Makes one tree of two, of which one has the smaller keys.
  static void join(Node** link, Node* smaller, Node* larger) {
    while (smaller != nullptr && larger != nullptr) {
      const bool side = smaller->priority > larger->priority;  // on which the one on top goes on
      Node*& top = side ? smaller : larger;
      *link = top;
      link = &top->child[side];
      top = *link;
    }
    *link = smaller != nullptr ? smaller : larger;
  }

  // `left` and `right`: the nodes that it lies between, or null. Goes no deeper from one that is wrong: so it ends in a
  // ring, too, in which priorities cannot fall for ever.
  static void check_below(const Node* node, const Node* left, const Node* right, std::vector<std::string>& found) {
    if (node == nullptr) return;
    const auto here = "treap: key " + std::to_string(node->key);
    const auto before = found.size();
    if (node->priority != hash_of(node->key)) found.push_back(here + " has another key's priority");
    for (const Node* above : {left, right}) {
      if (above == nullptr) continue;
      if ((above == left) != (node->key > above->key)) found.push_back(here + " is out of order");
      if (node->priority >= above->priority) found.push_back(here + " is below one of no higher priority");
    }
    if (found.size() != before) return;
    check_below(node->child[0], left, node, found);
    check_below(node->child[1], node, right, found);
  }

  template <class Visit>
  static void for_each_below(const Node* node, Visit& visit) {
    if (node == nullptr) return;
    for_each_below(node->child[0], visit);
    visit(node->key);
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
