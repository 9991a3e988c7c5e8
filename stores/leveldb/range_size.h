#ifndef PERDURE_STORES_LEVELDB_RANGE_SIZE_H
#define PERDURE_STORES_LEVELDB_RANGE_SIZE_H

#include <cstdint>
#include <string_view>

#include "store.h"

namespace perdure::stores {

/// How many bytes the keys and values from `begin` up to `end`, but without that, take in the pool now.
std::uint64_t range_size(Store& store, std::string_view begin, std::string_view end);

}  // namespace perdure::stores

#endif
