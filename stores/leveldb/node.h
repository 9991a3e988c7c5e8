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

struct Node {
  SlotOrder order;
  std::uint32_t skip = 0;  ///< bytes that all keys have in common that may come here; prefixes begin behind them
  std::uint32_t reserved = 0;
};

/// Keys and what belongs to them.
struct Leaf : Node {
  struct Slot {
    Prefix prefix;
    Cell* cell;
  };
  Slot slots[SlotOrder::capacity];

  Leaf() {}  // NOLINT(modernize-use-equals-default): `= default` would let `new Leaf()` zero the slots
};
static_assert(sizeof(Leaf) == 256);

/// Children, parted by separators: the child of a slot has the keys from its separator on.
struct Inner : Node {
  struct Slot {
    Prefix prefix;
    Cell* cell;  ///< the separator
    Node* child;
  };
  Node* first;  ///< the child of the keys before all separators
  Slot slots[SlotOrder::capacity];

  explicit Inner(Node* child) : first(child) {}
};
static_assert(sizeof(Inner) == 384);

/// Where a key belongs: the first position whose key is not below it.
struct Position {
  unsigned position;
  bool is_there;
};

/// The entry that holds a cell's key.
inline Cell* newest_of(Cell* cell) {
  return kind_of(cell) == Kind::versions ? static_cast<Versions*>(cell)->current : cell;
}

template <class AnyNode>
Position find_position(const AnyNode& node, SlotOrder order, const Sought& sought) {
  const std::uint64_t prefix = prefix_of(sought, node.skip);
  unsigned begin = 0, end = order.size();
  while (begin < end) {
    const unsigned middle = (begin + end) / 2;
    const auto& slot = node.slots[order.slot(middle)];
    const std::uint64_t other = slot.prefix.get();
    int difference = prefix < other ? -1 : 1;
    if (prefix == other) difference = compare(sought, newest_of(slot.cell));
    if (difference == 0) return {middle, true};
    if (difference < 0)
      end = middle;
    else
      begin = middle + 1;
  }
  return {begin, false};
}

/// The child left of all separators, or the one behind the separator at `position - 1`.
inline Node* child_at(const Inner& node, SlotOrder order, unsigned position) {
  return position == 0 ? node.first : node.slots[order.slot(position - 1)].child;
}

}  // namespace perdure::stores

#endif
