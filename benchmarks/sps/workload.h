#ifndef PERDURE_BENCHMARKS_SPS_WORKLOAD_H
#define PERDURE_BENCHMARKS_SPS_WORKLOAD_H

#include <array>

#include "common/random.h"
#include "common/rooted_workload.h"
#include "parameters.h"

namespace perdure::benchmarks::sps {

/// The root object of the pool.
struct Data {
  Scale scale;
  PopulationState population = PopulationState::empty;
  std::uint64_t* integers = nullptr;  // at first, each its own index
};

/// One thread that swaps integers.
class Worker {
 public:
  Worker(std::uint64_t* integers, const Parameters& parameters, const Share& share)
      : integers_(integers), parameters_(parameters), random_(share.seed) {}

  Outcome step() {
    auto* const integers = integers_;
    const auto count = parameters_.swaps;
    std::array<Swap, Parameters::most_swaps> swaps;
    for (std::uint32_t i = 0; i < count; ++i) swaps[i] = {draw(), draw()};
    TM_BEGIN {
      for (std::uint32_t i = 0; i < count; ++i) {
        const auto [one, other] = swaps[i];
        const auto value = integers[one];
        integers[one] = integers[other];
        integers[other] = value;
      }
    } TM_END;
    return Outcome::committed;
  }

 private:
  struct Swap {
    std::uint64_t one;
    std::uint64_t other;
  };

  std::uint64_t draw() {
    return static_cast<std::uint64_t>(random_.between(0, static_cast<std::int64_t>(parameters_.scale.integers) - 1));
  }

  std::uint64_t* const integers_;
  const Parameters parameters_;
  Random random_;
};

/// Swaps of two integers each in one array.
class Swaps : public RootedWorkload<Data, Parameters> {
 public:
  using Worker = sps::Worker;

  static constexpr const char* name = "sps";

  Swaps(Pool& pool, const Parameters& parameters, std::size_t /*threads*/) : RootedWorkload(pool, "sps", parameters) {}

  void begin_population() {
    RootedWorkload::begin_population();
    // Not `new std::uint64_t[n]`: GCC's transactions may not call what it checks n with.
    const auto bytes = parameters_.scale.integers * sizeof(std::uint64_t);
    TM_BEGIN { root_.integers = static_cast<std::uint64_t*>(::operator new(bytes)); } TM_END;
  }

  void populate(const Share& share) {
    constexpr std::size_t integers_per_transaction = 1024;
    for_each_batch(share, parameters_.scale.integers, integers_per_transaction,
                   [this](std::size_t begin, std::size_t end) {
                     TM_BEGIN {
                       for (auto i = begin; i < end; ++i) root_.integers[i] = i;
                     } TM_END;
                   });
  }

  Worker worker(const Share& share) { return Worker(root_.integers, parameters_, share); }

  /// However they were swapped, every integer is there once.
  std::vector<std::string> violations() const {
    std::vector<std::string> found;
    const auto count = parameters_.scale.integers;
    std::vector<bool> seen(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto value = root_.integers[i];
      if (value >= count || seen[value]) {
        found.push_back("integer " + std::to_string(value) + (value >= count ? " was never there" : " is there twice"));
      } else {
        seen[value] = true;
      }
    }
    return found;
  }
};

}  // namespace perdure::benchmarks::sps

#endif
