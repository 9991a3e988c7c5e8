#include "node.h"

namespace perdure::stores {
namespace {

/// The positions whose prefix is the one that is sought. \param prefix_at  of a position.
template <class PrefixAt>
Positions equal_prefixes(unsigned size, std::uint64_t sought, PrefixAt prefix_at) {
  unsigned begin = 0;
  for (unsigned rest = size; rest > 0;) {
    const unsigned half = rest / 2;
    const bool is_below = prefix_at(begin + half) < sought;
    begin = is_below ? begin + half + 1 : begin;
    rest = is_below ? rest - half - 1 : half;
  }
  unsigned end = begin;
  while (end < size && prefix_at(end) == sought) ++end;
  return {begin, end};
}

}  // namespace

Positions positions_of_prefix(const LeafHead& head, const Sought& sought) {
  return equal_prefixes(head.order.size(), prefix_of(sought, head.skip),
                        [&](unsigned position) { return head.prefixes[head.order.slot(position)].get(); });
}

unsigned child_index(const Inner& node, const Sought& sought, Side side) {
  auto [begin, end] = equal_prefixes(node.count, prefix_of(sought, node.skip),
                                     [&](unsigned position) { return node.prefixes[position].get(); });
  while (begin < end) {
    const unsigned middle = (begin + end) / 2;
    const int difference = compare(sought, node.separators[middle]);
    if (difference > 0 || (difference == 0 && side == Side::with))
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

}  // namespace perdure::stores
