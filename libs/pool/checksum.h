#ifndef PERDURE_POOL_CHECKSUM_H
#define PERDURE_POOL_CHECKSUM_H

#include <cstddef>
#include <cstdint>

namespace perdure::pool {

/// XXH3 (64 bits) of `bytes` bytes; with a seed, what is equal has the same one only where the seed is the same.
std::uint64_t checksum(const void* data, std::size_t bytes) noexcept;
std::uint64_t checksum(const void* data, std::size_t bytes, std::uint64_t seed) noexcept;

/// Mixes two numbers into a check for words too small to carry a checksum (splitmix64's finaliser).
constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t x = a * 0x9e3779b97f4a7c15 + b + 0x632be59bd9b4e019;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace perdure::pool

#endif
