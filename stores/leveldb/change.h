#ifndef PERDURE_STORES_LEVELDB_CHANGE_H
#define PERDURE_STORES_LEVELDB_CHANGE_H

#include <string_view>
#include <utility>
#include <vector>

#include "readers.h"
#include "root.h"
#include "tree_erase.h"

/// One change of one key, as a part of a transaction.
namespace perdure::stores {

/// Kind::value or Kind::deletion.
struct Change {
  Kind kind;
  std::string_view key;
  std::string_view value;
};

/// Changes lie in private memory, which transactions should not look at themselves.
PERDURE_PURE inline Change change_at(const Change* changes, std::size_t index) { return changes[index]; }

/// What a transaction has kept for readers: known to them when it has committed.
class Kept {
 public:
  void add(Retained* retained, Stamp reader) { all_.emplace_back(retained, reader); }
  void clear() { all_.clear(); }
  const auto& all() const { return all_; }

 private:
  std::vector<std::pair<Retained*, Stamp>> all_;
};
PERDURE_PURE inline void note_kept(Kept& kept, Retained* retained, Stamp reader) { kept.add(retained, reader); }
PERDURE_PURE inline void begin_keeping(Kept& kept) { kept.clear(); }

/// Which list this thread keeps old versions in.
PERDURE_PURE unsigned list_of_thread();

/// Where changes go. All by reference: transactions hand it on, and read nothing of it but the root.
struct Target {
  Root& root;
  const KeyOrder& order;
  Readers& readers;
};

inline Cell* make_changed(const Change& change, Stamp now) {
  return make_entry(change.kind, now, change.key.data(), change.key.size(), change.value.data(), change.value.size());
}

/// Changes a key that is in the tree.
inline void replace(Target target, const Sought& sought, Leaf* leaf, unsigned position, const Change& change, Stamp now,
                    Kept& kept) {
  Cell*& slot = leaf->cell_at(leaf->head.order, position);
  Cell* const there = slot;
  Cell* const newest = newest_of(there);
  const Stamp reader = latest_reader_between(target.readers, stamp_of(newest), now);
  if (reader != 0) {
    if (change.kind == Kind::deletion && kind_of(newest) == Kind::deletion) return;
    slot = make_versions(make_changed(change, now), there);
    note_kept(kept, retain(target.root.retained, list_of_thread(), newest), reader);
    return;
  }
  if (there != newest) {
    static_cast<Versions*>(there)->current = make_changed(change, now);
  } else if (change.kind == Kind::value) {
    slot = make_changed(change, now);
  } else {
    erase_entry(target.root.tree, sought, target.order, leaf, position);
  }
  free_cell(newest);
}

inline void apply(Target target, const Change& change, Stamp now, Kept& kept) {
  const Sought sought{&target.order, change.key};
  Leaf* const leaf = leaf_of(target.root.tree, sought);
  const Position at = find_position(*leaf, sought);
  if (at.is_there) return replace(target, sought, leaf, at.position, change, now, kept);
  if (change.kind != Kind::value) return;
  insert_entry(target.root.tree, sought, target.order, leaf, at.position, make_changed(change, now));
}

/// The stamp for what the running transaction writes, outside of batches that are open.
inline Stamp stamp_for_writing(Tree& tree) {
  const Stamp now = tree.now;
  if (tree.written != now) tree.written = now;
  return now;
}

}  // namespace perdure::stores

#endif
