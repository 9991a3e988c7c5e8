#ifndef PERDURE_TESTS_CONTAINERS_STEP_H
#define PERDURE_TESTS_CONTAINERS_STEP_H

#include <cstdint>
#include <random>
#include <string>

namespace perdure::containers {

/// What an operation is made of. Step number n is the same in every process.
struct Step {
  unsigned choice;   // which operation
  unsigned small;    // 0 to 59: a key, an element, a position
  long number;       // any value
  std::string text;  // also long enough to be allocated; may hold `small`
};

inline Step step_number(unsigned long n) {
  std::mt19937_64 random(n * 7919 + 17);
  const unsigned small = static_cast<unsigned>(random() % 60);
  const std::string text =
      random() % 2 == 0 ? std::to_string(small) : std::to_string(small) + std::string(random() % 50, 'x');
  return {static_cast<unsigned>(random() % 1024), small, static_cast<long>(random() % 100'000), text};
}

/// An operation's result, summed up.
using Seen = std::uint64_t;

inline Seen seen(const std::string& text) {
  Seen result = text.size();
  for (const char character : text) result = result * 31 + static_cast<unsigned char>(character);
  return result;
}

inline Seen seen(long number) { return static_cast<Seen>(number); }

}  // namespace perdure::containers

#endif
