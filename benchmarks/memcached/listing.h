#ifndef PERDURE_BENCHMARKS_MEMCACHED_LISTING_H
#define PERDURE_BENCHMARKS_MEMCACHED_LISTING_H

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>

namespace perdure::benchmarks::memcached {

/// A walk through all items that answers a request, a part at a time: answers may be longer than what is kept in
/// memory, and no transaction looks at everything.
struct Listing {
  enum class Form : std::uint8_t {
    none,
    metadata,  // lru_crawler metadump
    commands,  // lru_crawler mgdump
    names,     // stats cachedump
    sizes      // stats sizes
  };

  Form form = Form::none;
  std::size_t part = 0;  // of the index: the next one
  std::uint64_t items_left = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t bytes_left = std::numeric_limits<std::uint64_t>::max();

  std::map<std::size_t, std::uint64_t> items_of_size = {};

  bool is_under_way() const { return form != Form::none; }
};

}  // namespace perdure::benchmarks::memcached

#endif
