#include "verify.h"

#include <perdure/perdure.h>

namespace perdure::stores {
namespace {

PERDURE_PURE bool is_below(const KeyOrder& order, const Cell* left, const Cell* right) {
  return order.compare_keys(key_of(left), key_of(right)) < 0;
}

template <class AnyNode>
const char* fault_of_slots(const AnyNode& node, const KeyOrder& order, const Cell* low, const Cell* high) {
  const SlotOrder slots = node.order;
  if (node.skip > common_bytes(order, low, high)) return "leaves out bytes that its keys do not have in common";
  const Cell* before = nullptr;
  for (unsigned position = 0; position < slots.size(); ++position) {
    const auto& slot = node.slots[slots.slot(position)];
    const Cell* const entry = newest_of(slot.cell);
    if (slot.prefix.get() != prefix_of(order, entry, node.skip)) return "has a prefix that is not its key's";
    if (before != nullptr && !is_below(order, before, entry)) return "is not in order";
    if (low != nullptr && is_below(order, entry, low)) return "has a key of the node before it";
    if (high != nullptr && !is_below(order, entry, high)) return "has a key of the node behind it";
    before = entry;
  }
  return nullptr;
}

const char* fault_of_path(const KeyOrder& order, const Path& path) {
  for (unsigned level = 0; level < path.height; ++level) {
    const Path::Step& step = path.steps[level];
    if (const char* const fault = fault_of_slots(*step.node, order, step.low, step.high)) return fault;
  }
  return fault_of_slots(*path.leaf, order, path.low, path.high);
}

PERDURE_PURE void note_fence(std::string& next, const Cell* fence) { next.assign(key_of(fence)); }

}  // namespace

std::string fault_of(const Tree& tree, const KeyOrder& order) {
  std::string key, next;
  const char* fault = nullptr;
  for (bool is_edge = true, is_last = false; !is_last && fault == nullptr; is_edge = false, key.swap(next)) {
    const Sought sought{&order, key};
    TM_BEGIN {
      Path path;
      if (is_edge)
        find_edge(tree, false, path);
      else
        find_path(tree, sought, Side::with, path);
      fault = fault_of_path(order, path);
      is_last = path.high == nullptr;
      if (!is_last) note_fence(next, path.high);
    }
    TM_END;
  }
  return fault == nullptr ? std::string() : "the index is damaged: a node of the keys from '" + next + "' on " + fault;
}

}  // namespace perdure::stores
