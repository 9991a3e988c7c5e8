#ifndef PERDURE_BENCHMARKS_SETS_STRUCTURES_H
#define PERDURE_BENCHMARKS_SETS_STRUCTURES_H

#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "structures/hash_array_mapped_trie.h"
#include "structures/hash_index.h"
#include "structures/red_black_tree.h"
#include "structures/sorted_list.h"
#include "structures/treap.h"

/// The structures with one interface: `contains`, `insert` and `erase` (whether anything changed), `for_each` over the
/// keys, `violations`; and `reserve`, if more than growing can be done. SortedList, Treap and HashArrayMappedTrie have
/// it themselves.
namespace perdure::benchmarks::sets {

/// What comes with a key in a map that is used as a set.
struct Nothing {};

class Tree {
 public:
  bool contains(Key key) const { return tree_.find(key) != nullptr; }
  bool insert(Key key) { return tree_.insert(key, {}); }
  bool erase(Key key) { return tree_.erase(key); }

  template <class Visit>
  void for_each(Visit visit) const {
    tree_.for_each([&](Key key, Nothing) { visit(key); });
  }

  std::vector<std::string> violations() const { return tree_.violations(); }

 private:
  RedBlackTree<Nothing> tree_;
};

class Hash {
 public:
  void reserve(std::size_t keys) { table_.reserve(keys); }
  bool contains(Key key) const { return table_.find(key) != nullptr; }
  bool insert(Key key) { return table_.insert_if_absent(key, {}).second; }
  bool erase(Key key) { return table_.erase(key); }

  template <class Visit>
  void for_each(Visit visit) const {
    table_.for_each_entry([&](Key key, Nothing) { visit(key); });
  }

  std::vector<std::string> violations() const { return table_.violations(); }

 private:
  HashIndex<Nothing> table_;
};

/// A set of the standard library.
template <class Container>
class Standard {
 public:
  void reserve(std::size_t keys)
    requires requires(Container& set) { set.reserve(keys); }
  {
    set_.reserve(keys);
  }
  bool contains(Key key) const { return set_.find(key) != set_.end(); }
  bool insert(Key key) { return set_.insert(key).second; }
  bool erase(Key key) { return set_.erase(key) != 0; }

  template <class Visit>
  void for_each(Visit visit) const {
    for (const Key key : set_) visit(key);
  }

  std::vector<std::string> violations() const {
    std::size_t found = 0;
    for (const Key key : set_) found += contains(key);
    if (found == set_.size()) return {};
    return {"of " + std::to_string(set_.size()) + " keys, only " + std::to_string(found) + " are found"};
  }

 private:
  Container set_;
};

using StandardSet = Standard<std::set<Key>>;
using StandardUnorderedSet = Standard<std::unordered_set<Key>>;

}  // namespace perdure::benchmarks::sets

#endif
