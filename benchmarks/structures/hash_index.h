#ifndef PERDURE_BENCHMARKS_HASH_INDEX_H
#define PERDURE_BENCHMARKS_HASH_INDEX_H

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "key.h"

namespace perdure::benchmarks {

/// A hash table of rows with chaining that grows where it is full, a little at a time.
///
/// A slot holds a chain of rows; when the chain is longer than `longest_chain`, the slot grows a directory of 16 slots
/// of its own and the chain is dealt out to them by the next four bits of the hash. So no insertion moves more than a
/// chain, whatever the size of the table, and two insertions meet only in a slot: there is no count of the rows, and no
/// rehashing of everything, that all would have to wait for. Rows never move.
///
/// It is ordinary C++ and knows nothing of transactions.
template <class Row>
class HashIndex {
 public:
  HashIndex() : slots_(new Slot[fewest_slots]) {}
  HashIndex(const HashIndex&) = delete;
  HashIndex& operator=(const HashIndex&) = delete;
  ~HashIndex() {
    for (std::size_t i = 0; i < count_; ++i) clear(slots_[i]);
  }

  /// Prepares an empty table for so many rows. A table that was told nothing, or too little, grows all the same.
  void reserve(std::size_t rows) {
    std::size_t wanted = fewest_slots;
    while (wanted < most_slots && wanted * rows_per_slot < rows) wanted *= 2;
    slots_.reset(new Slot[wanted]);
    count_ = wanted;
  }

  /// The row with this key, or null.
  Row* find(Key key) const {
    for (Node* node = leaf_of(hash_of(key)).slot->chain; node != nullptr; node = node->next) {
      if (node->key == key) return &node->row;
    }
    return nullptr;
  }

  /// Adds a copy of `row`, which stays in its place until it is erased.
  /// \throws DuplicateKey
  Row& insert(Key key, const Row& row) {
    const auto [place, added] = insert_if_absent(key, row);
    if (!added) throw DuplicateKey{key};
    return *place;
  }

  /// Adds a copy of `row` unless the key is there already.
  /// \returns the row with this key, and whether it was added.
  std::pair<Row*, bool> insert_if_absent(Key key, const Row& row) {
    const auto hash = hash_of(key);
    Path path = leaf_of(hash);
    std::size_t length = 0;
    for (Node* node = path.slot->chain; node != nullptr; node = node->next) {
      if (node->key == key) return {&node->row, false};
      ++length;
    }
    if (length >= longest_chain) {
      grow(path);
      path.descend(hash);
    }
    auto* node = new Node{path.slot->chain, key, row};
    path.slot->chain = node;
    return {&node->row, true};
  }

  /// Removes the row with this key, if there is one. Slots that have grown stay so.
  /// \returns whether there was one.
  bool erase(Key key) {
    Node** link = &leaf_of(hash_of(key)).slot->chain;
    while (*link != nullptr && (*link)->key != key) link = &(*link)->next;
    Node* found = *link;
    if (found == nullptr) return false;
    *link = found->next;
    delete found;
    return true;
  }

  /// Calls `visit(row)` for every row, in no particular order.
  template <class Visit>
  void for_each(Visit visit) const {
    for_each_entry([&](Key, const Row& row) { visit(row); });
  }

  /// How many slots there are to begin with: it stays so.
  std::size_t slots() const { return count_; }

  /// Calls `visit(key, row)` for every row of the slot with that number, and of what it has grown.
  template <class Visit>
  void for_each_entry_in(std::size_t slot, Visit visit) const {
    for_each_below(slots_[slot], visit);
  }

  /// Calls `visit(key, row)` for every row, in no particular order.
  template <class Visit>
  void for_each_entry(Visit visit) const {
    for (std::size_t i = 0; i < count_; ++i) for_each_below(slots_[i], visit);
  }

  /// What is wrong with the table's structure, one a line: rows out of place, keys held twice. Runs alone.
  std::vector<std::string> violations() const {
    std::vector<std::string> found;
    for (std::size_t i = 0; i < count_; ++i) check_below(slots_[i], i, std::countr_zero(count_), found);
    return found;
  }

 private:
  struct Node {
    Node* next;
    Key key;
    Row row;
  };

  struct Directory;

  // One of the two is null: a slot that has grown keeps no chain.
  struct Slot {
    Node* chain = nullptr;
    Directory* grown = nullptr;
  };

  static constexpr unsigned directory_bits = 4;

  struct Directory {
    std::array<Slot, std::size_t{1} << directory_bits> slots;

    Slot& slot(std::uint64_t hash) { return slots[hash % slots.size()]; }
  };

  // Where a hash leads: a slot, and how many bits of the hash it took to get there.
  struct Path {
    Slot* slot;
    unsigned used_bits;

    void descend(std::uint64_t hash) {
      slot = &slot->grown->slot(hash >> used_bits);
      used_bits += directory_bits;
    }
  };

  static constexpr std::size_t fewest_slots = 16;
  static constexpr std::size_t most_slots = 4096;  // made in one transaction, so not without limit
  static constexpr std::size_t rows_per_slot = 2;
  static constexpr std::size_t longest_chain = 8;

  Path leaf_of(std::uint64_t hash) const {
    const std::size_t top = count_;
    Path path{&slots_[hash % top], static_cast<unsigned>(std::countr_zero(top))};
    while (path.slot->grown != nullptr) path.descend(hash);
    return path;
  }

  // Gives a slot a directory and deals its chain out to it.
  void grow(Path path) {
    auto* directory = new Directory();
    Node* node = path.slot->chain;
    while (node != nullptr) {
      Node* next = node->next;
      Slot& slot = directory->slot(hash_of(node->key) >> path.used_bits);
      node->next = slot.chain;
      slot.chain = node;
      node = next;
    }
    path.slot->chain = nullptr;
    path.slot->grown = directory;
  }

  // `path` is what the hashes of the rows below the slot have in common: their lowest `used_bits` bits.
  static void check_below(const Slot& slot, std::uint64_t path, int used_bits, std::vector<std::string>& found) {
    std::set<Key> keys;
    for (const Node* node = slot.chain; node != nullptr; node = node->next) {
      const auto here = "hash table: key " + std::to_string(node->key);
      if (slot.grown != nullptr) found.push_back(here + " is in a slot that has grown");
      if ((hash_of(node->key) ^ path) << (64 - used_bits) != 0) found.push_back(here + " is in another key's slot");
      if (!keys.insert(node->key).second) {
        found.push_back(here + " is there twice");
        return;  // perhaps the chain is a ring
      }
    }
    if (slot.grown == nullptr) return;
    const auto& lower = slot.grown->slots;
    for (std::size_t i = 0; i < lower.size(); ++i) {
      check_below(lower[i], path | std::uint64_t{i} << used_bits, used_bits + static_cast<int>(directory_bits), found);
    }
  }

  static void clear(Slot& slot) {
    while (slot.chain != nullptr) delete std::exchange(slot.chain, slot.chain->next);
    if (slot.grown == nullptr) return;
    for (Slot& lower : slot.grown->slots) clear(lower);
    delete slot.grown;
  }

  template <class Visit>
  static void for_each_below(const Slot& slot, Visit& visit) {
    if (slot.grown != nullptr) {
      for (const Slot& lower : slot.grown->slots) for_each_below(lower, visit);
    }
    for (const Node* node = slot.chain; node != nullptr; node = node->next) visit(node->key, node->row);
  }

  std::unique_ptr<Slot[]> slots_;
  std::size_t count_ = fewest_slots;  // a power of two
};

}  // namespace perdure::benchmarks

#endif
