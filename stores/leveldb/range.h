#ifndef PERDURE_STORES_LEVELDB_RANGE_H
#define PERDURE_STORES_LEVELDB_RANGE_H

#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "store.h"

namespace perdure::stores {

/// A reader of now, for a while.
class Reading {
 public:
  explicit Reading(Store& store) : store_(store), moment_(store.begin_reading()) {}
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  ~Reading() {
    try {
      store_.end_reading(moment_);
    } catch (const std::exception&) {  // the disk has failed: who writes next is told
    }
  }
  Stamp moment() const { return moment_; }

 private:
  Store& store_;
  Stamp moment_;
};

/// Calls `visit` for the entries from `begin` up to `end`, but without that, that a reader of the moment sees. They
/// stay where they are as long as it does.
template <class Visit>
void visit_range(Store& store, Stamp moment, std::string_view begin, std::string_view end, Visit visit) {
  constexpr unsigned leaves_at_once = 8;
  Harvest harvest;
  std::string next(begin);
  do {
    store.read_upwards({next, false, true}, moment, leaves_at_once, harvest);
    for (const Cell* const entry : harvest.entries) {
      if (store.order().compare_keys(key_of(entry), end) >= 0) return;
      visit(entry);
    }
    std::swap(next, harvest.next);
  } while (!harvest.is_all);
}

}  // namespace perdure::stores

#endif
