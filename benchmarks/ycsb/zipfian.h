#ifndef PERDURE_BENCHMARKS_YCSB_ZIPFIAN_H
#define PERDURE_BENCHMARKS_YCSB_ZIPFIAN_H

#include <cmath>
#include <cstdint>

#include "common/random.h"
#include "structures/key.h"

namespace perdure::benchmarks::ycsb {

/// Draws numbers below `count`, some far more often than others: the n-th most frequent with a weight of n^-0.99, as
/// YCSB does. Which are the frequent ones has no order. (The method: Gray et al., SIGMOD'94, figure 11.)
class Zipfian {
 public:
  explicit Zipfian(std::uint64_t count) : count_(count), sum_(sum_of(count)) {
    const double second = 1 + std::pow(0.5, skew);
    spread_ = (1 - std::pow(2.0 / static_cast<double>(count), 1 - skew)) / (1 - second / sum_);
  }

  std::uint64_t draw(Random& random) const { return hash_of(rank(random)) % count_; }

  /// \returns how many numbers are more frequent than the one drawn.
  std::uint64_t rank(Random& random) const {
    constexpr double unit = 0x1p-53;
    const double share = static_cast<double>(random.next() >> 11) * unit;
    const double weight = share * sum_;
    if (weight < 1) return 0;
    if (weight < 1 + std::pow(0.5, skew)) return 1;
    return static_cast<std::uint64_t>(static_cast<double>(count_) *
                                      std::pow(spread_ * share - spread_ + 1, 1 / (1 - skew)));
  }

 private:
  static constexpr double skew = 0.99;

  static double sum_of(std::uint64_t count) {
    double sum = 0;
    for (std::uint64_t i = 1; i <= count; ++i) sum += std::pow(static_cast<double>(i), -skew);
    return sum;
  }

  std::uint64_t count_;
  double sum_;
  double spread_;
};

}  // namespace perdure::benchmarks::ycsb

#endif
