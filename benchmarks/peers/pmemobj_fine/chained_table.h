#ifndef PERDURE_BENCHMARKS_PEERS_PMEMOBJ_FINE_CHAINED_TABLE_H
#define PERDURE_BENCHMARKS_PEERS_PMEMOBJ_FINE_CHAINED_TABLE_H

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "logged.h"
#include "structures/key.h"

namespace perdure::benchmarks::fine {

using peers::FineTransaction;
using peers::InPool;
using peers::Logged;

/// A hash table of rows with chaining, in a pool of libpmemobj. It has as many buckets as rows that it was made for, so
/// it never grows (in libpmemobj's favour: there is no lock for that). Who uses it locks.
/// \tparam group_bits  Keys that differ in so many of their lowest bits only lie in neighbouring buckets, so that one
///                     lock is enough for their chains: that of the number `group_of` them.
template <class Row, unsigned group_bits = 0>
class ChainedTable {
 public:
  static constexpr std::uint64_t group_of(Key key) { return hash_of(key >> group_bits); }

  /// Prepares the table; in a transaction.
  /// \param locks  how many there are: no chain is to belong to two of them.
  void make(std::size_t rows, std::size_t locks) {
    const std::size_t count = std::bit_ceil(std::max(rows, locks << group_bits));
    auto* const buckets = FineTransaction::current().allocate_lines(count * sizeof(Link));
    buckets_ = InPool<Link>(static_cast<Link*>(buckets));
    count_ = count;
  }

  /// The row with this key, or null.
  Row* find(Key key) const {
    for (auto at = bucket_of(key).get(); at; at = at->next) {
      if (at->key == key) return &at->row;
    }
    return nullptr;
  }

  /// Adds a copy of `row`; in a transaction.
  /// \pre There is none with this key.
  Row& insert(Key key, const Row& row) {
    Link& bucket = bucket_of(key);
    Node* const node = FineTransaction::current().make(Node{bucket, key, row});
    bucket = InPool<Node>(node);
    return node->row;
  }

  /// Removes the row with this key, if there is one; in a transaction.
  /// \returns whether there was one.
  bool erase(Key key) {
    Link* link = &bucket_of(key);
    while (link->get() && link->get()->key != key) link = &link->get()->next;
    const auto found = link->get();
    if (!found) return false;
    *link = found->next.get();
    FineTransaction::current().free(found.get());
    return true;
  }

  /// Calls `visit(key, row)` for every row, in no particular order. Runs alone.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t i = 0; i < count_; ++i) {
      for (auto at = buckets_.get()[i].get(); at; at = at->next) visit(at->key, at->row);
    }
  }

  /// What is wrong, one a line: rows out of place, keys held twice. Runs alone.
  std::vector<std::string> violations() const {
    std::vector<std::string> found;
    for (std::size_t i = 0; i < count_; ++i) {
      std::vector<Key> keys;
      for (auto at = buckets_.get()[i].get(); at; at = at->next) {
        const auto here = "hash table: key " + std::to_string(at->key);
        if (bucket_number(at->key) != i) found.push_back(here + " is in another key's bucket");
        if (std::find(keys.begin(), keys.end(), at->key) != keys.end()) {
          found.push_back(here + " is there twice");
          return found;  // perhaps the chain is a ring
        }
        keys.push_back(at->key);
      }
    }
    return found;
  }

 private:
  struct Node;
  using Link = Logged<InPool<Node>>;

  struct Node {
    Link next;
    Key key;
    [[no_unique_address]] Row row;
  };

  std::size_t bucket_number(Key key) const {
    constexpr Key in_group = (Key{1} << group_bits) - 1;
    return (group_of(key) << group_bits | (key & in_group)) & (count_ - 1);
  }

  Link& bucket_of(Key key) const { return buckets_.get()[bucket_number(key)]; }

  Logged<InPool<Link>> buckets_;
  Logged<std::size_t> count_;  // a power of two
};

}  // namespace perdure::benchmarks::fine

#endif
