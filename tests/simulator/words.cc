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

/// Each step is preceded by a transaction that writes all words and is rolled back: where lines are flushed some time
/// after, more of them than may be postponed.
class ChangeOfMindWorkload : public Stepped<EightWords> {
  struct ChangeOfMind {};

  void step(EightWords& root, std::uint64_t number) override {
    try {
      TM_BEGIN {
        for (LoneWord& word : root) word.value = 1000 + number;
        throw ChangeOfMind();
      } TM_END;
    } catch (const ChangeOfMind&) {
      TM_BEGIN { root.front().value = number; } TM_END;
    }
  }
  std::uint64_t steps_taken(EightWords& root) override {
    return execute([&] { return root.front().value; });
  }
  void check(EightWords& root, std::uint64_t) override {
    const bool is_as_before = execute([&] {
      bool result = true;
      for (std::size_t i = 1; i < root.size(); ++i) result = result && root[i].value == 0;
      return result;
    });
    require(is_as_before, "a word is not as it was before a transaction that was rolled back");
  }
};

struct Parts {
  std::uint32_t low = 0;
  std::uint16_t middle = 0;
  std::uint8_t high = 0;
  std::uint8_t steps = 0;
  alignas(64) std::uint64_t noise = 0;
};

/// Parts of one word, written by different transactions: none may bring back what another has overwritten. What is
/// written beside them leaves something else in the memory of the write set.
class PartsWorkload : public Stepped<Parts> {
  std::uint64_t steps() const override { return 4; }
  void step(Parts& root, std::uint64_t number) override {
    const bool noise_first = number % 2 != 0;
    TM_BEGIN {
      if (noise_first) root.noise = ~number;
      write_part(root, number);
      root.steps = static_cast<std::uint8_t>(number);
      if (!noise_first) root.noise = ~number;
    } TM_END;
  }
  std::uint64_t steps_taken(Parts& root) override {
    return execute([&] { return std::uint64_t{root.steps}; });
  }
  void check(Parts& root, std::uint64_t taken) override {
    Parts expected;
    for (std::uint64_t number = 1; number <= taken; ++number) write_part(expected, number);
    const Parts found = execute([&] { return Parts(root); });
    require(found.low == expected.low && found.middle == expected.middle && found.high == expected.high,
            "after " + std::to_string(taken) + " steps the parts are " + std::to_string(found.low) + ", " +
                std::to_string(found.middle) + ", " + std::to_string(found.high));
    require(found.noise == (taken == 0 ? 0 : ~taken), "what was written beside them is not there");
  }
  static void write_part(Parts& parts, std::uint64_t number) {
    if (number % 3 == 1) parts.low = static_cast<std::uint32_t>(0x1010'1010 * number);
    if (number % 3 == 2) parts.middle = static_cast<std::uint16_t>(0x0101 * number);
    if (number % 3 == 0) parts.high = static_cast<std::uint8_t>(number);
  }
};

}  // namespace

std::unique_ptr<Workload> make_counter() { return std::make_unique<CounterWorkload>(); }
std::unique_ptr<Workload> make_swap() { return std::make_unique<SwapWorkload>(); }
std::unique_ptr<Workload> make_parts() { return std::make_unique<PartsWorkload>(); }
std::unique_ptr<Workload> make_change_of_mind() { return std::make_unique<ChangeOfMindWorkload>(); }
std::unique_ptr<Workload> make_scattered() { return std::make_unique<ScatteredWorkload>(); }

}  // namespace perdure::simulate
