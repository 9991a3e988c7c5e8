#ifndef PERDURE_BENCHMARKS_KEY_H
#define PERDURE_BENCHMARKS_KEY_H

#include <cstdint>

namespace perdure::benchmarks {

/// What the indexes of all workloads are searched by.
using Key = std::uint64_t;

/// Thrown by an insertion whose key is there already.
struct DuplicateKey {
  Key key;
};

/// A bijection without visible order, so that two keys always differ in some bit of their hashes.
constexpr std::uint64_t hash_of(Key key) {
  constexpr std::uint64_t odd = 0xd6e8feb86659fd93;
  key = (key ^ (key >> 32)) * odd;
  key = (key ^ (key >> 32)) * odd;
  return key ^ (key >> 32);
}

}  // namespace perdure::benchmarks

#endif
