#include "inner_copy.h"

#include <algorithm>

namespace perdure::stores {

void copy_separators(const Inner& from, InnerCopy& to) {
  std::copy_n(from.separators, from.count, to.separators + to.count);
  to.count += from.count;
}

void write_separators(Inner& to, const KeyOrder& order, const InnerCopy& from, unsigned begin, unsigned count,
                      const Cell* low, const Cell* high) {
  to.count = count;
  to.skip = common_bytes(order, low, high);
  for (unsigned i = 0; i < count; ++i) {
    to.separators[i] = from.separators[begin + i];
    to.prefixes[i].set(prefix_of(order, to.separators[i], to.skip));
  }
}

void insert_child(InnerCopy& copy, unsigned position, Cell* separator, Node* behind) {
  std::copy_backward(copy.separators + position, copy.separators + copy.count, copy.separators + copy.count + 1);
  std::copy_backward(copy.children + position + 1, copy.children + copy.count + 1, copy.children + copy.count + 2);
  copy.separators[position] = separator;
  copy.children[position + 1] = behind;
  ++copy.count;
}

void erase_child(InnerCopy& copy, unsigned position) {
  std::copy(copy.separators + position + 1, copy.separators + copy.count, copy.separators + position);
  std::copy(copy.children + position + 2, copy.children + copy.count + 1, copy.children + position + 1);
  --copy.count;
}

}  // namespace perdure::stores
