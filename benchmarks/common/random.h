#ifndef PERDURE_BENCHMARKS_RANDOM_H
#define PERDURE_BENCHMARKS_RANDOM_H

#include <cstdint>

namespace perdure::benchmarks {

/// A small and fast source of random numbers, the same on every machine for the same seed: a counter put through a
/// bijective mixer, so that neighbouring seeds have nothing in common. Draw outside transactions: a transaction that
/// is run again must see the same numbers.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(mix(seed)) {}

  std::uint64_t next() {
    state_ += odd_step;
    return mix(state_);
  }

  /// Uniform in [low, high], both included.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    // The upper half of a 128-bit product: a share of the range without a division.
    const auto range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
    const auto product = static_cast<unsigned __int128>(next()) * range;
    return low + static_cast<std::int64_t>(product >> 64);
  }

  bool percent(unsigned share) { return between(1, 100) <= static_cast<std::int64_t>(share); }

 private:
  static constexpr std::uint64_t odd_step = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio: visits every state

  static std::uint64_t mix(std::uint64_t bits) {
    bits = (bits ^ (bits >> 32)) * 0xd6e8feb86659fd93;
    bits = (bits ^ (bits >> 32)) * 0xd6e8feb86659fd93;
    return bits ^ (bits >> 32);
  }

  std::uint64_t state_;
};

}  // namespace perdure::benchmarks

#endif
