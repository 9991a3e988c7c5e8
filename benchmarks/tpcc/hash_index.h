#ifndef PERDURE_BENCHMARKS_TPCC_HASH_INDEX_H
#define PERDURE_BENCHMARKS_TPCC_HASH_INDEX_H

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "keys.h"

namespace perdure::benchmarks::tpcc {

/// Thrown by an insertion whose key is there already.
struct DuplicateKey {
  Key key;
};

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
  HashIndex() : slots_(fewest_slots) {}

  /// Prepares an empty table for so many rows. A table that was told nothing, or too little, grows all the same.
  void reserve(std::size_t rows) {
    std::size_t wanted = fewest_slots;
    while (wanted < most_slots && wanted * rows_per_slot < rows) wanted *= 2;
    slots_ = std::vector<Slot>(wanted);
  }

  /// The row with this key, or null.
  Row* find(Key key) {
    for (Node* node = leaf_of(hash_of(key)).slot->chain; node != nullptr; node = node->next) {
      if (node->key == key) return &node->row;
    }
    return nullptr;
  }

  /// Adds a copy of `row`, which lives as long as the pool does.
  /// \throws DuplicateKey
  Row& insert(Key key, const Row& row) {
    const auto hash = hash_of(key);
    Path path = leaf_of(hash);
    std::size_t length = 0;
    for (const Node* node = path.slot->chain; node != nullptr; node = node->next) {
      if (node->key == key) throw DuplicateKey{key};
      ++length;
    }
    if (length >= longest_chain) {
      grow(path);
      path.descend(hash);
    }
    auto* node = new Node{path.slot->chain, key, row};
    path.slot->chain = node;
    return node->row;
  }

  /// Calls `visit(row)` for every row, in no particular order.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Slot& slot : slots_) for_each_below(slot, visit);
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

  // Bijective, so that two keys always differ in some bit of their hashes and a chain can always be dealt out.
  static std::uint64_t hash_of(Key key) {
    key = (key ^ (key >> 32)) * 0xd6e8feb86659fd93;
    key = (key ^ (key >> 32)) * 0xd6e8feb86659fd93;
    return key ^ (key >> 32);
  }

  Path leaf_of(std::uint64_t hash) {
    const std::size_t top = slots_.size();
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

  template <class Visit>
  static void for_each_below(const Slot& slot, Visit& visit) {
    if (slot.grown != nullptr) {
      for (const Slot& lower : slot.grown->slots) for_each_below(lower, visit);
    }
    for (const Node* node = slot.chain; node != nullptr; node = node->next) visit(node->row);
  }

  std::vector<Slot> slots_;
};

}  // namespace perdure::benchmarks::tpcc

#endif
