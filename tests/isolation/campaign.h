#ifndef PERDURE_TESTS_ISOLATION_CAMPAIGN_H
#define PERDURE_TESTS_ISOLATION_CAMPAIGN_H

#include <chrono>
#include <cstdlib>

namespace perdure {

/// Whether this is the long variant of a test (LONG_TESTS in the environment).
inline bool is_long_campaign() { return std::getenv("LONG_TESTS") != nullptr; }

/// How long a test goes on: a moment, or in its long variant for `factor` times as long.
class Campaign {
 public:
  explicit Campaign(std::chrono::milliseconds duration, int factor = 100)
      : duration_(is_long_campaign() ? duration * factor : duration) {}

  /// Calls `round(number)` until the time is over or it returns false; at least once. \returns the rounds begun.
  template <class Round>
  unsigned run(Round&& round) const {
    const auto end = std::chrono::steady_clock::now() + duration_;
    unsigned number = 0;
    while (round(number++) && std::chrono::steady_clock::now() < end) {
    }
    return number;
  }

 private:
  std::chrono::milliseconds duration_;
};

}  // namespace perdure

#endif
