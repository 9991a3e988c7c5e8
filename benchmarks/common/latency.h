#ifndef PERDURE_BENCHMARKS_LATENCY_H
#define PERDURE_BENCHMARKS_LATENCY_H

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace perdure::benchmarks {

/// Counts durations in buckets whose width grows with the duration (an eighth of a power of two each), so that any
/// percentile is known to within 7 % from four kilobytes.
class LatencyHistogram {
 public:
  void add(std::uint64_t nanoseconds) {
    ++counts_[bucket_of(nanoseconds)];
    ++total_;
  }

  void merge(const LatencyHistogram& other) {
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
    total_ += other.total_;
  }

  std::uint64_t samples() const { return total_; }

  /// The duration, in nanoseconds, that `share` (0 to 1) of the samples do not exceed; 0 without samples.
  double percentile(double share) const {
    if (total_ == 0) return 0;
    const auto wanted = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(share * total_)));
    std::uint64_t seen = 0;
    for (std::size_t bucket = 0; bucket < counts_.size(); ++bucket) {
      seen += counts_[bucket];
      if (seen >= wanted) return middle_of(bucket);
    }
    return middle_of(counts_.size() - 1);
  }

 private:
  static constexpr unsigned precision_bits = 3;
  static constexpr std::size_t parts = std::size_t{1} << precision_bits;

  // Values below 8 have a bucket each; above, the leading bit picks the group and the next three the bucket in it.
  static std::size_t bucket_of(std::uint64_t value) {
    if (value < parts) return value;
    const unsigned shift = std::bit_width(value) - precision_bits - 1;
    return parts * shift + (value >> shift);
  }

  static double middle_of(std::size_t bucket) {
    if (bucket < parts) return static_cast<double>(bucket);
    const auto shift = bucket / parts - 1;
    return std::ldexp(static_cast<double>(bucket - parts * shift) + 0.5, static_cast<int>(shift));
  }

  std::array<std::uint64_t, parts * (64 - precision_bits + 1)> counts_{};
  std::uint64_t total_ = 0;
};

}  // namespace perdure::benchmarks

#endif
