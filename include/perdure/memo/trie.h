#ifndef PERDURE_MEMO_TRIE_H
#define PERDURE_MEMO_TRIE_H

#include <array>
#include <cstddef>
#include <cstdint>

namespace perdure::detail {

/// Items by their hashes, in a trie over the bits of these (the paper's MemoTrie). Unlike a table it is never outgrown:
/// no insertion moves more than one item, and insertions at different places do not conflict. For use in transactions.
/// \tparam Item  has a `std::uint64_t hash`, and an `Item* same_hash` for the trie's use.
template <class Item>
class HashTrie {
 public:
  /// The first item with that hash; the others follow by `same_hash`. Null: there is none.
  Item* find(std::uint64_t hash) const {
    const Slot* slot = &root_;
    for (unsigned shift = 0; slot->node != nullptr; shift += bits) slot = &slot->node->slots[digit(hash, shift)];
    return slot->items != nullptr && slot->items->hash == hash ? slot->items : nullptr;
  }

  void insert(Item& item) {
    Slot* slot = &root_;
    unsigned shift = 0;
    for (; slot->node != nullptr; shift += bits) slot = &slot->node->slots[digit(item.hash, shift)];
    // Different hashes differ in some digit, so this ends before the bits do.
    for (; slot->items != nullptr && slot->items->hash != item.hash; shift += bits)
      slot = &push_down(*slot, shift)->slots[digit(item.hash, shift)];
    item.same_hash = slot->items;
    slot->items = &item;
  }

  /// \param item  must have been inserted.
  void remove(Item& item) {
    std::array<Slot*, most_depth + 1> path;
    std::size_t depth = 0;
    path[0] = &root_;
    for (; path[depth]->node != nullptr; ++depth)
      path[depth + 1] = &path[depth]->node->slots[digit(item.hash, static_cast<unsigned>(depth) * bits)];
    Item** link = &path[depth]->items;
    while (*link != &item) link = &(*link)->same_hash;
    *link = item.same_hash;
    while (depth > 0 && collapse(*path[depth - 1])) --depth;
  }

 private:
  static constexpr unsigned bits = 4;  // that a level looks at
  static constexpr std::size_t most_depth = 64 / bits;

  struct Node;

  /// Empty, or items that all have one hash, or a node.
  struct Slot {
    Item* items = nullptr;
    Node* node = nullptr;
  };
  struct Node {
    std::array<Slot, 1U << bits> slots;
  };

  static std::size_t digit(std::uint64_t hash, unsigned shift) { return hash >> shift & ((1U << bits) - 1); }

  static Node* push_down(Slot& slot, unsigned shift) {
    Node* const node = new Node();
    node->slots[digit(slot.items->hash, shift)].items = slot.items;
    slot.items = nullptr;
    slot.node = node;
    return node;
  }

  /// Takes the node away if it holds no more than a slot can. So below every node there are two hashes or more.
  static bool collapse(Slot& slot) {
    Item* survivor = nullptr;
    for (const Slot& child : slot.node->slots) {
      if (child.node != nullptr) return false;
      if (child.items == nullptr) continue;
      if (survivor != nullptr) return false;
      survivor = child.items;
    }
    delete slot.node;
    slot.node = nullptr;
    slot.items = survivor;
    return true;
  }

  Slot root_;
};

}  // namespace perdure::detail

#endif
