#ifndef PERDURE_BENCHMARKS_TREE_INDEX_H
#define PERDURE_BENCHMARKS_TREE_INDEX_H

#include "bplus_tree.h"

namespace perdure::benchmarks {

/// A B+ tree of rows, with the interface of HashIndex. Rows are allocated one by one and never move.
template <class Row>
class TreeIndex {
 public:
  /// Trees grow as they must.
  void reserve(std::size_t) {}

  /// The row with this key, or null.
  Row* find(Key key) const {
    Row** row = rows_.find(key);
    return row == nullptr ? nullptr : *row;
  }

  /// Adds a copy of `row`, which stays in its place.
  /// \throws DuplicateKey
  Row& insert(Key key, const Row& row) {
    auto* copy = new Row(row);
    if (!rows_.insert(key, copy).second) throw DuplicateKey{key};
    return *copy;
  }

  /// Calls `visit(row)` for every row, in the order of the keys.
  template <class Visit>
  void for_each(Visit visit) const {
    for (auto position = rows_.begin(); position != rows_.end(); ++position) visit(*position.value());
  }

  std::vector<std::string> violations() const { return rows_.violations(); }

 private:
  BPlusTree<Row*> rows_;
};

}  // namespace perdure::benchmarks

#endif
