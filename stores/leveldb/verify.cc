#include "verify.h"

#include <perdure/perdure.h>

namespace perdure::stores {
namespace {

PERDURE_PURE bool is_below(const KeyOrder& order, const Cell* left, const Cell* right) {
  return order.compare_keys(key_of(left), key_of(right)) < 0;
}

/// What is wrong with the keys of a node.
struct Keys {
  const KeyOrder& order;
  std::uint32_t skip;
  const Cell* low;
  const Cell* high;
  const Cell* before = nullptr;

  const char* fault_of(const Cell* key, std::uint64_t prefix) {
    if (prefix != prefix_of(order, key, skip)) return "has a prefix that is not its key's";
    if (before != nullptr && !is_below(order, before, key)) return "is not in order";
    if (low != nullptr && is_below(order, key, low)) return "has a key of the node before it";
    if (high != nullptr && !is_below(order, key, high)) return "has a key of the node behind it";
    before = key;
    return nullptr;
  }
};

const char* fault_of_skip(const KeyOrder& order, std::uint32_t skip, const Cell* low, const Cell* high) {
  return skip > common_bytes(order, low, high) ? "leaves out bytes that its keys do not have in common" : nullptr;
}

/// Inner nodes do not change.
PERDURE_PURE const char* fault_of_inner(const KeyOrder& order, const Path::Step& step) {
  const Inner& node = *step.node;
  if (const char* const fault = fault_of_skip(order, node.skip, step.low, step.high)) return fault;
  Keys keys{order, node.skip, step.low, step.high};
  for (unsigned position = 0; position < node.count; ++position)
    if (const char* const fault = keys.fault_of(node.separators[position], node.prefixes[position].get())) return fault;
  return nullptr;
}

const char* fault_of_leaf(const KeyOrder& order, const Path& path) {
  const LeafHead head = path.leaf->head;
  if (const char* const fault = fault_of_skip(order, head.skip, path.low, path.high)) return fault;
  Keys keys{order, head.skip, path.low, path.high};
  for (unsigned position = 0; position < head.order.size(); ++position) {
    const Cell* const key = newest_of(path.leaf->cell_at(head.order, position));
    const std::uint64_t prefix = head.prefixes[head.order.slot(position)].get();
    if (const char* const fault = keys.fault_of(key, prefix)) return fault;
  }
  return nullptr;
}

const char* fault_of_path(const KeyOrder& order, const Path& path) {
  for (unsigned level = 0; level < path.height; ++level)
    if (const char* const fault = fault_of_inner(order, path.steps[level])) return fault;
  return fault_of_leaf(order, path);
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
    } TM_END;
  }
  return fault == nullptr ? std::string() : "the index is damaged: a node of the keys from '" + next + "' on " + fault;
}

}  // namespace perdure::stores
