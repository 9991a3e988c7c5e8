#ifndef PERDURE_BENCHMARKS_BPLUS_TREE_NODE_H
#define PERDURE_BENCHMARKS_BPLUS_TREE_NODE_H

#include <array>
#include <cstddef>

#include "key.h"
#include "slot_order.h"

namespace perdure::benchmarks::bplus_tree {

/// What leaves and inner nodes have in common; the level says which one a node is.
struct Node {
  static constexpr std::size_t capacity = SlotOrder::capacity;
  static constexpr std::size_t fewest = capacity / 2;  // entries of any node but the root

  SlotOrder order;
  Node* link = nullptr;  // of a leaf: the next leaf; of an inner node: the child of the keys below the first entry's
};

/// Entries sorted by key. A leaf pairs a key with its value; an inner node pairs it with the child that holds the keys
/// from it up to the next entry's.
template <class Payload>
struct NodeOf : Node {
  struct Entry {
    Key key;
    Payload payload;
  };

  std::array<Entry, capacity> entries;  // in the slots that `order` says; what is in free slots means nothing

  /// Creation writes the header alone.
  NodeOf() {}  // NOLINT(modernize-use-equals-default): `= default` would let `new NodeOf()` zero the entries

  const Entry& at(std::size_t position) const { return entries[order.slot(position)]; }
  Entry& at(std::size_t position) { return entries[order.slot(position)]; }

  /// The first position whose key is not below `key`.
  std::size_t lower_bound(SlotOrder known_order, Key key) const {
    return first_position(known_order, [key](Key other) { return other >= key; });
  }

  /// The first position whose key is above `key`: in an inner node, how many children lie left of the one for `key`.
  std::size_t upper_bound(SlotOrder known_order, Key key) const {
    return first_position(known_order, [key](Key other) { return other > key; });
  }

  void insert(std::size_t position, Key key, Payload payload) {
    SlotOrder changed = order;
    Entry& entry = entries[changed.insert(position)];
    entry.key = key;
    entry.payload = payload;
    order = changed;
  }

  void append(const Entry& entry) { insert(order.size(), entry.key, entry.payload); }

  /// Takes the entry at `position` out.
  Entry remove(std::size_t position) {
    SlotOrder changed = order;
    const Entry entry = entries[changed.slot(position)];
    changed.erase(position);
    order = changed;
    return entry;
  }

  /// Copies the entries from position `begin` on to the end of `target`.
  void copy_tail(std::size_t begin, NodeOf& target) const {
    const SlotOrder source = order;
    SlotOrder changed = target.order;
    for (std::size_t position = begin; position < source.size(); ++position) {
      target.entries[changed.insert(changed.size())] = entries[source.slot(position)];
    }
    target.order = changed;
  }

  void truncate(std::size_t size) {
    SlotOrder changed = order;
    changed.truncate(size);
    order = changed;
  }

 private:
  // Binary search; `matches` is false for all keys up to some position, and true from there on.
  template <class Matches>
  std::size_t first_position(SlotOrder known_order, Matches matches) const {
    std::size_t begin = 0, end = known_order.size();
    while (begin < end) {
      const std::size_t middle = (begin + end) / 2;
      if (matches(entries[known_order.slot(middle)].key)) {
        end = middle;
      } else {
        begin = middle + 1;
      }
    }
    return begin;
  }
};

using Inner = NodeOf<Node*>;

/// The child left of the entry at `position`; the last one for the position past the end.
inline Node* child_of(const Inner& node, SlotOrder known_order, std::size_t position) {
  return position == 0 ? node.link : node.entries[known_order.slot(position - 1)].payload;
}

inline Node* child_for(const Inner& node, Key key) {
  const SlotOrder order = node.order;
  return child_of(node, order, node.upper_bound(order, key));
}

}  // namespace perdure::benchmarks::bplus_tree

#endif
