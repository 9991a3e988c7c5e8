#ifndef PERDURE_LOG_CHECKED_NUMBER_H
#define PERDURE_LOG_CHECKED_NUMBER_H

#include <atomic>
#include <cstdint>

#include "pool/checksum.h"

namespace perdure::log {

/// A number below 2^48 as it is stored in a pool, with a check in the 16 bits above it: for numbers that are replaced
/// by a single store, so that no checksum could stand beside them. Where the check is 0 there is none: in a new pool,
/// and where programs wrote that did not know of it (pool::checked_watermark).
class CheckedNumber {
 public:
  std::uint64_t value() const { return value_of(load()); }

  bool is_sound() const {
    const std::uint64_t word = load();
    return word >> value_bits == 0 || word == checked(value_of(word));
  }

  /// Release: whoever sees the number comes after what made it true.
  void store(std::uint64_t value) { std::atomic_ref(word_).store(checked(value), std::memory_order_release); }

  /// Several threads bring a number: the largest stays.
  void raise(std::uint64_t value) {
    std::atomic_ref word(word_);
    std::uint64_t seen = load();
    while (value_of(seen) < value && !word.compare_exchange_weak(seen, checked(value), std::memory_order_acq_rel)) {
    }
  }

 private:
  static constexpr unsigned value_bits = 48;

  // Relaxed: who depends on what the number stands for knows it otherwise.
  std::uint64_t load() const {
    return std::atomic_ref(const_cast<std::uint64_t&>(word_)).load(std::memory_order_relaxed);
  }

  static constexpr std::uint64_t value_of(std::uint64_t word) { return word & ((std::uint64_t{1} << value_bits) - 1); }

  static constexpr std::uint64_t checked(std::uint64_t value) {
    const std::uint64_t check = pool::mix(value, 0) >> value_bits;
    return (check != 0 ? check : 1) << value_bits | value;
  }

  std::uint64_t word_;
};

}  // namespace perdure::log

#endif
