#ifndef PERDURE_STORES_LEVELDB_NODE_H
#define PERDURE_STORES_LEVELDB_NODE_H

#include <cstdint>
#include <cstring>

#include "cell.h"
#include "key_order.h"
#include "slot_order.h"

/// Nodes of the B+ tree. Ordinary C++ in a pool: the plugin makes transactions of it.
namespace perdure::stores {

/// Eight bytes of a key (key_order.h). Two halves, so that no mark takes text for a pointer.
class Prefix {
 public:
  std::uint64_t get() const {
    std::uint64_t number = 0;
    std::memcpy(&number, halves_, sizeof number);
    return number;
  }
  void set(std::uint64_t number) { std::memcpy(halves_, &number, sizeof number); }

 private:
  std::uint32_t halves_[2];
};

/// A leaf, or an inner node: the level says which.
struct Node {};

/// What is looked at first of a leaf: transactions copy it as a whole.
struct LeafHead {
  SlotOrder order;
  std::uint32_t skip = 0;  ///< bytes that all keys have in common that may come here; prefixes begin behind them
  std::uint32_t reserved = 0;
  Prefix prefixes[SlotOrder::capacity];
};

/// Keys and what belongs to them. Slots stay where they are; the order tells their positions.
struct Leaf : Node {
  LeafHead head;
  Cell* cells[SlotOrder::capacity];

  Leaf() {}  // NOLINT(modernize-use-equals-default): `= default` would let `new Leaf()` zero the slots

  Cell*& cell_at(SlotOrder order, unsigned position) { return cells[order.slot(position)]; }
  Cell* cell_at(SlotOrder order, unsigned position) const { return cells[order.slot(position)]; }
};
static_assert(sizeof(Leaf) == 256);

/// Children, parted by separators: a child has the keys from the separator before it on. But for the children, it is
/// written once, like a cell, and read as such: where a separator comes in or goes, a new node takes its place.
struct Inner : Node {
  static constexpr unsigned capacity = 31;

  std::uint32_t count;  ///< of separators
  std::uint32_t skip;   ///< as in leaves
  Prefix prefixes[capacity];
  Cell* separators[capacity];
  Node* children[capacity + 1];

  Inner() {}  // NOLINT(modernize-use-equals-default): as above
};
static_assert(sizeof(Inner) == 760);

/// Where a key belongs: the first position whose key is not below it.
struct Position {
  unsigned position;
  bool is_there;
};

/// Positions from `begin` up to `end`, but without that.
struct Positions {
  unsigned begin, end;
};

/// Which child of those around a key.
enum class Side {
  with,   ///< where the key is, or belongs
  before  ///< the one with the keys before it: another one, if the key is the lowest that its child may have
};

/// Which child of an inner node a key leads to.
PERDURE_PURE unsigned child_index(const Inner& node, const Sought& sought, Side side);

/// Which keys of a leaf have the prefix of the key that is sought: the key is there, or belongs before, behind or
/// between them. \param head  private memory.
PERDURE_PURE Positions positions_of_prefix(const LeafHead& head, const Sought& sought);

/// Has the processor fetch a node, all lines at once: a search would wait for one after the other.
PERDURE_PURE inline void prefetch(const Node* node) {
  constexpr std::size_t line = 64, fetched = sizeof(Leaf);  // of an inner node, most prefixes
  const char* const begin = reinterpret_cast<const char*>(node);
  for (std::size_t offset = 0; offset < fetched; offset += line) __builtin_prefetch(begin + offset);
}

PERDURE_PURE inline std::uint32_t separators_in(const Inner& node) { return node.count; }
PERDURE_PURE inline Cell* separator_of(const Inner& node, unsigned position) { return node.separators[position]; }

/// The entry that holds a cell's key.
inline Cell* newest_of(Cell* cell) {
  return kind_of(cell) == Kind::versions ? static_cast<Versions*>(cell)->current : cell;
}

inline Position find_position(const Leaf& leaf, const Sought& sought) {
  const LeafHead head = leaf.head;
  const Positions alike = positions_of_prefix(head, sought);
  unsigned begin = alike.begin, end = alike.end;
  while (begin < end) {
    const unsigned middle = (begin + end) / 2;
    const int difference = compare(sought, newest_of(leaf.cell_at(head.order, middle)));
    if (difference == 0) return {middle, true};
    if (difference < 0)
      end = middle;
    else
      begin = middle + 1;
  }
  return {begin, false};
}

}  // namespace perdure::stores

#endif
