#ifndef PERDURE_BENCHMARKS_PEERS_PMEMOBJ_FINE_HASH_SET_H
#define PERDURE_BENCHMARKS_PEERS_PMEMOBJ_FINE_HASH_SET_H

#include <stdexcept>

#include "chained_table.h"
#include "lock_table.h"
#include "sets/workload.h"

namespace perdure::benchmarks::fine {

/// A set of keys over libpmemobj with locks for its buckets, which look-ups share.
class HashSet {
 public:
  static constexpr bool has_lock_per_key = true;

  void reserve(std::size_t keys) {
    table_.make(keys, lock_count);
    locks_.make();
  }

  bool contains(Key key) const {
    FineTransaction::current().lock_shared(lock_of(key));
    return table_.find(key) != nullptr;
  }

  bool insert(Key key) {
    FineTransaction::current().lock(lock_of(key));
    if (table_.find(key) != nullptr) return false;
    table_.insert(key, {});
    return true;
  }

  bool erase(Key key) {
    FineTransaction::current().lock(lock_of(key));
    return table_.erase(key);
  }

  template <class Visit>
  void for_each(Visit visit) const {
    table_.for_each([&](Key key, Nothing) { visit(key); });
  }

  std::vector<std::string> violations() const { return table_.violations(); }

 private:
  struct Nothing {};
  using Table = ChainedTable<Nothing>;

  static constexpr std::size_t lock_count = 1024;

  PMEMrwlock& lock_of(Key key) const { return locks_.of(Table::group_of(key)); }

  Table table_;
  peers::LockTable<PMEMrwlock, lock_count> locks_;
};

}  // namespace perdure::benchmarks::fine

namespace perdure::benchmarks {

template <>
struct sets::Data<fine::HashSet> {
  peers::Logged<Scale> scale;
  peers::Logged<PopulationState> population;
  fine::HashSet set;
};

namespace fine {

/// Of the structures of `sets`, one has locks of its own here.
class HashSets : public sets::Sets<HashSet> {
 public:
  HashSets(Pool& pool, const Parameters& parameters, std::size_t threads) : Sets(pool, hash(parameters), threads) {}

 private:
  static const Parameters& hash(const Parameters& parameters) {
    if (parameters.structure == "hash") return parameters;
    throw std::invalid_argument("only --structure hash has fine-grained locks");
  }
};

}  // namespace fine
}  // namespace perdure::benchmarks

#endif
