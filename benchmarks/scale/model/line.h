#ifndef PERDURE_BENCHMARKS_SCALE_LINE_H
#define PERDURE_BENCHMARKS_SCALE_LINE_H

#include <algorithm>
#include <bit>
#include <cstdint>

#include "engine.h"

namespace perdure::scale {

inline constexpr unsigned most_threads = 64;

constexpr std::uint64_t bit_of(unsigned thread) { return std::uint64_t{1} << thread; }

/// A cache line, as far as cores take it from each other. Each simulated thread has a core, and caches that forget
/// nothing: what misses at one thread is part of the costs that were measured there.
class Line {
 public:
  /// \returns the nanoseconds that `thread` waits to read it.
  Time load(unsigned thread, Time now, Time transfer) {
    if ((holders_ & bit_of(thread)) != 0) return 0;
    holders_ |= bit_of(thread);
    if (!is_changed_) return 0;
    return std::max(free_at_ - now, 0.0) + transfer;
  }

  /// \returns the nanoseconds that `thread` waits to have it alone. Those who want that queue up.
  Time own(unsigned thread, Time now, Time transfer) {
    is_changed_ = true;
    if (holders_ == bit_of(thread)) return 0;
    const bool is_elsewhere = (holders_ & ~bit_of(thread)) != 0;
    holders_ = bit_of(thread);
    if (!is_elsewhere) return 0;
    free_at_ = std::max(free_at_, now) + transfer;
    return free_at_ - now;
  }

 private:
  std::uint64_t holders_ = 0;
  Time free_at_ = 0;
  bool is_changed_ = false;
};

}  // namespace perdure::scale

#endif
