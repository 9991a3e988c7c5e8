// Workloads over a few words.
#include <array>

#include "factories.h"
#include "stepped.h"

namespace perdure::simulate {
namespace {

struct Counter {
  std::uint64_t value = 0;
};

/// The smallest durable program.
class CounterWorkload : public Stepped<Counter> {
  void step(Counter& root, std::uint64_t) override {
    TM_BEGIN { ++root.value; } TM_END;
  }
  std::uint64_t steps_taken(Counter& root) override {
    return execute([&] { return root.value; });
  }
};

struct TwoWords {
  std::uint64_t first = 1;
  alignas(128) std::uint64_t second = 2;
  std::uint64_t swaps = 0;
};

/// Two words in lines of their own change places.
class SwapWorkload : public Stepped<TwoWords> {
  void step(TwoWords& root, std::uint64_t) override {
    TM_BEGIN {
      std::swap(root.first, root.second);
      ++root.swaps;
    } TM_END;
  }
  std::uint64_t steps_taken(TwoWords& root) override {
    return execute([&] { return root.swaps; });
  }
  void check(TwoWords& root, std::uint64_t taken) override {
    const auto [first, second] = execute([&] { return std::pair(root.first, root.second); });
    require(first == 1 + taken % 2 && second == 2 - taken % 2, "after " + std::to_string(taken) +
                                                                   " swaps the words are " + std::to_string(first) +
                                                                   " and " + std::to_string(second));
  }
};

struct alignas(32) LoneWord {
  std::uint64_t value = 0;
};
using EightWords = std::array<LoneWord, 8>;

/// Words in chunks of their own, all written in one transaction: more than a segment of records holds in the simulator.
class ScatteredWorkload : public Stepped<EightWords> {
  void step(EightWords& root, std::uint64_t number) override {
    TM_BEGIN {
      for (LoneWord& word : root) word.value = number;
    } TM_END;
  }
  std::uint64_t steps_taken(EightWords& root) override {
    return execute([&] { return root.front().value; });
  }
  void check(EightWords& root, std::uint64_t taken) override {
    for (const LoneWord& word : root) require(word.value == taken, "some words were written and others not");
  }
};

}  // namespace

std::unique_ptr<Workload> make_counter() { return std::make_unique<CounterWorkload>(); }
std::unique_ptr<Workload> make_swap() { return std::make_unique<SwapWorkload>(); }
std::unique_ptr<Workload> make_scattered() { return std::make_unique<ScatteredWorkload>(); }

}  // namespace perdure::simulate
