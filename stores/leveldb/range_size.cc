#include "range_size.h"

#include "range.h"

namespace perdure::stores {

std::uint64_t range_size(Store& store, std::string_view begin, std::string_view end) {
  const Reading reading(store);
  std::uint64_t bytes = 0;
  visit_range(store, reading.moment(), begin, end,
              [&](const Cell* entry) { bytes += entry_bytes(key_of(entry).size(), value_of(entry).size()); });
  return bytes;
}

}  // namespace perdure::stores
