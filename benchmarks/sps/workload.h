#ifndef PERDURE_BENCHMARKS_SPS_WORKLOAD_H
#define PERDURE_BENCHMARKS_SPS_WORKLOAD_H

#include <array>
#include <cstdint>
#include <stdexcept>
#include <type_traits>

#include "common/random.h"
#include "common/rooted_workload.h"
#include "parameters.h"

namespace perdure::benchmarks::sps {

/// Two places of the array whose integers are exchanged.
struct Swap {
  std::uint64_t one;
  std::uint64_t other;
};

/// Makes an array. An array with locks of its own has another.
inline void make(std::uint64_t*& integers, std::uint64_t count) {
  // Not `new std::uint64_t[n]`: GCC's transactions may not call what it checks n with.
  integers = static_cast<std::uint64_t*>(::operator new(count * sizeof(std::uint64_t)));
}

/// Locks what the swaps are about, in an array with locks of its own.
inline void lock(const std::uint64_t*, const Swap*, std::uint32_t) {}

/// The root object of the pool.
template <class Integers>
struct Data {
  Scale scale;
  PopulationState population = PopulationState::empty;
  Integers integers = {};  // at first, each its own index
};

/// One thread that swaps integers.
template <class Integers>
class Worker {
 public:
  Worker(const Integers& integers, const Parameters& parameters, const Share& share)
      : integers_(integers), parameters_(parameters), random_(share.seed) {}

  Outcome step() {
    if constexpr (std::is_pointer_v<Integers>) {
      if (parameters_.is_whole) return swap_as_often_as_there_are_integers();
    }
    return swap_some();
  }

 private:
  Outcome swap_some() {
    const Integers integers = integers_;
    const auto count = parameters_.swaps;
    const auto length = parameters_.scale.integers;
    std::array<Swap, Parameters::most_swaps> swaps;
    for (std::uint32_t i = 0; i < count; ++i) swaps[i] = {draw(random_, length), draw(random_, length)};
    TM_BEGIN {
      lock(integers, swaps.data(), count);
      for (std::uint32_t i = 0; i < count; ++i) exchange(integers, swaps[i]);
    } TM_END;
    return Outcome::committed;
  }

  // Drawn before, so many swaps would take more memory than the integers. Each attempt draws the same ones: from a
  // source of its own.
  Outcome swap_as_often_as_there_are_integers() {
    const Integers integers = integers_;
    const auto count = parameters_.scale.integers;
    const auto seed = random_.next();
    TM_BEGIN {
      Random random(seed);
      for (std::uint64_t i = 0; i < count; ++i) exchange(integers, {draw(random, count), draw(random, count)});
    } TM_END;
    return Outcome::committed;
  }

  static void exchange(Integers integers, Swap swap) {
    const auto value = integers[swap.one];
    integers[swap.one] = integers[swap.other];
    integers[swap.other] = value;
  }

  static std::uint64_t draw(Random& random, std::uint64_t integers) {
    return static_cast<std::uint64_t>(random.between(0, static_cast<std::int64_t>(integers) - 1));
  }

  const Integers integers_;
  const Parameters parameters_;
  Random random_;
};

/// Swaps of two integers each in one array.
/// \tparam Integers  a pointer to them, or an array with locks of its own: `make`, `lock`, and what a pointer does.
template <class Integers>
class SwapsIn : public RootedWorkload<Data<Integers>, Parameters> {
  using Base = RootedWorkload<Data<Integers>, Parameters>;
  using Base::parameters_;
  using Base::root_;

 public:
  using Worker = sps::Worker<Integers>;

  static constexpr const char* name = "sps";

  SwapsIn(Pool& pool, const Parameters& parameters, std::size_t /*threads*/) : Base(pool, "sps", parameters) {
    if (parameters.is_whole && !std::is_pointer_v<Integers>) {
      throw std::invalid_argument("--whole: not where the array has locks of its own; leave it out, or use --swaps");
    }
  }

  void begin_population() {
    Base::begin_population();
    const auto count = parameters_.scale.integers;
    TM_BEGIN { make(root_.integers, count); } TM_END;
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
      const std::uint64_t value = root_.integers[i];
      if (value >= count || seen[value]) {
        found.push_back("integer " + std::to_string(value) + (value >= count ? " was never there" : " is there twice"));
      } else {
        seen[value] = true;
      }
    }
    return found;
  }
};

using Swaps = SwapsIn<std::uint64_t*>;

}  // namespace perdure::benchmarks::sps

#endif
