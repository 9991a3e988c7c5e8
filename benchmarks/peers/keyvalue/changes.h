#ifndef PERDURE_BENCHMARKS_PEERS_CHANGES_H
#define PERDURE_BENCHMARKS_PEERS_CHANGES_H

#include <string>
#include <type_traits>
#include <vector>

#include "store.h"

namespace perdure::benchmarks::keyvalue {

struct Change {
  RowKey key;
  bool erases;
  std::string row;
};

/// Changes that are made together, for stores that have no batches of their own.
class Changes {
 public:
  template <class Row>
  void put(const RowKey& key, const Row& row) {
    static_assert(std::is_trivially_copyable_v<Row>);
    all_.push_back({key, false, {reinterpret_cast<const char*>(&row), sizeof row}});
  }
  void erase(const RowKey& key) { all_.push_back({key, true, {}}); }

  const std::vector<Change>& all() const { return all_; }

 private:
  std::vector<Change> all_;
};

}  // namespace perdure::benchmarks::keyvalue

#endif
