#ifndef PERDURE_STORES_LEVELDB_HARVEST_H
#define PERDURE_STORES_LEVELDB_HARVEST_H

#include <string>
#include <vector>

#include "root.h"

namespace perdure::stores {

/// What a transaction finds of a range, leaf by leaf, upwards or downwards. It lies in private memory, and transactions
/// reach it only by the functions below. The entries stay as long as a reader is known at their moment.
struct Harvest {
  std::vector<const Cell*> entries;
  std::string next;     ///< upwards: the rest begins with this key; downwards: it ends before it
  bool is_all = false;  ///< there is no rest
};

PERDURE_PURE inline void begin_harvest(Harvest& harvest) { harvest.entries.clear(); }
PERDURE_PURE inline void take(Harvest& harvest, const Cell* entry) { harvest.entries.push_back(entry); }
/// \param fence  null: there is no rest.
PERDURE_PURE inline void end_harvest(Harvest& harvest, const Cell* fence) {
  harvest.is_all = fence == nullptr;
  if (fence != nullptr) harvest.next.assign(key_of(fence));
}

inline void take_if_seen(Harvest& harvest, Cell* cell, Stamp at) {
  const Cell* const entry = visible_in(cell, at);
  if (entry != nullptr && kind_of(entry) == Kind::value) take(harvest, entry);
}

PERDURE_PURE inline std::string_view key_of_fence(const Cell* fence) { return key_of(fence); }

/// What a batch has written that is open.
inline void take_if_stamped(Harvest& harvest, Cell* cell, Stamp now) {
  const Cell* const entry = newest_of(cell);
  if (stamp_of(entry) == now) take(harvest, entry);
}

/// Where a harvest begins.
struct Start {
  std::string_view key;
  bool is_edge;      ///< the first key of all, upwards; the last one, downwards
  bool is_included;  ///< upwards: the key itself counts
};

inline void harvest_upwards(const Tree& tree, const KeyOrder& order, const Start& start, Stamp at, unsigned leaves,
                            Harvest& harvest) {
  begin_harvest(harvest);
  Path path;
  const Sought sought{&order, start.key};
  unsigned begin = 0;
  if (start.is_edge) {
    find_edge(tree, false, path);
  } else {
    find_path(tree, sought, Side::with, path);
    const Position found = find_position(*path.leaf, sought);
    begin = found.position + (found.is_there && !start.is_included ? 1 : 0);
  }
  for (;;) {
    const SlotOrder slots = path.leaf->head.order;
    for (unsigned position = begin; position < slots.size(); ++position)
      take_if_seen(harvest, path.leaf->cell_at(slots, position), at);
    if (path.high == nullptr || --leaves == 0) break;
    const Sought next{&order, key_of_fence(path.high)};
    find_path(tree, next, Side::with, path);
    begin = 0;
  }
  end_harvest(harvest, path.high);
}

/// What a batch has written that is open, in one leaf.
inline void harvest_stamped(const Tree& tree, const KeyOrder& order, const Start& start, Stamp now, Harvest& harvest) {
  begin_harvest(harvest);
  Path path;
  const Sought sought{&order, start.key};
  if (start.is_edge)
    find_edge(tree, false, path);
  else
    find_path(tree, sought, Side::with, path);
  const SlotOrder slots = path.leaf->head.order;
  for (unsigned position = 0; position < slots.size(); ++position)
    take_if_stamped(harvest, path.leaf->cell_at(slots, position), now);
  end_harvest(harvest, path.high);
}

inline void harvest_downwards(const Tree& tree, const KeyOrder& order, const Start& start, Stamp at, unsigned leaves,
                              Harvest& harvest) {
  begin_harvest(harvest);
  Path path;
  const Sought sought{&order, start.key};
  unsigned end = SlotOrder::capacity;
  if (start.is_edge) {
    find_edge(tree, true, path);
  } else {
    find_path(tree, sought, Side::before, path);
    end = find_position(*path.leaf, sought).position;
  }
  for (;;) {
    const SlotOrder slots = path.leaf->head.order;
    for (unsigned position = end < slots.size() ? end : slots.size(); position-- > 0;)
      take_if_seen(harvest, path.leaf->cell_at(slots, position), at);
    if (path.low == nullptr || --leaves == 0) break;
    const Sought next{&order, key_of_fence(path.low)};
    find_path(tree, next, Side::before, path);
    end = SlotOrder::capacity;
  }
  end_harvest(harvest, path.low);
}

}  // namespace perdure::stores

#endif
