#include "range_size.h"

#include <algorithm>
#include <utility>

namespace perdure::stores {
namespace {

constexpr unsigned leaves_at_once = 8;

/// A reader of now, for a while.
class Reading {
 public:
  explicit Reading(Store& store) : store_(store), moment_(store.begin_reading()) {}
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  ~Reading() { store_.end_reading(moment_); }
  Stamp moment() const { return moment_; }

 private:
  Store& store_;
  Stamp moment_;
};

}  // namespace

std::uint64_t range_size(Store& store, std::string_view begin, std::string_view end) {
  const Reading reading(store);
  Harvest harvest;
  std::string next(begin);
  std::uint64_t bytes = 0;
  do {
    store.read_upwards({next, false, true}, reading.moment(), leaves_at_once, harvest);
    for (const Cell* const entry : harvest.entries) {
      const std::string_view key = key_of(entry);
      if (store.order().compare_keys(key, end) >= 0) return bytes;
      bytes += entry_bytes(key.size(), value_of(entry).size());
    }
    std::swap(next, harvest.next);
  } while (!harvest.is_all);
  return bytes;
}

}  // namespace perdure::stores
