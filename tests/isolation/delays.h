#ifndef PERDURE_TESTS_ISOLATION_DELAYS_H
#define PERDURE_TESTS_ISOLATION_DELAYS_H

#include <cstdint>

#include "campaign.h"

/// Holding threads up where it hurts, without a change to the libraries' sources: the linker wraps the accesses
/// (--wrap), the compiler can put a call before each load and store of a library (-fsanitize-coverage), both in
/// CMakeLists.txt, and signals come at random instructions of ordinary libraries.
namespace perdure::delays {

/// How often a thread is held up, as one in so many chances; 0 is never.
struct Rates {
  std::uint32_t yield = 0;  ///< gives the processor away
  std::uint32_t sleep = 0;  ///< some tens of microseconds
  std::uint32_t stall = 0;  ///< a millisecond: longer than any transaction
};

/// While it lives, the calling thread is held up before and after its instrumented accesses.
class AtAccesses {
 public:
  AtAccesses(const Rates& rates, std::uint32_t seed);
  AtAccesses(const AtAccesses&) = delete;
  AtAccesses& operator=(const AtAccesses&) = delete;
  ~AtAccesses();
};

/// While it lives, the calling thread is held up at loads, stores and branches of the library: with a lock held, say,
/// or between reading a value and reading its orec again. Only in programs linked with an interruptible library.
class WithinTheLibrary {
 public:
  WithinTheLibrary(const Rates& rates, std::uint32_t seed);
  WithinTheLibrary(const WithinTheLibrary&) = delete;
  WithinTheLibrary& operator=(const WithinTheLibrary&) = delete;
  ~WithinTheLibrary();
};

/// Whether that is so, once a transaction has run.
bool library_is_interruptible();

/// While it lives, the calling thread is interrupted some thousand times a second wherever it is, and held up there.
/// Does nothing under ThreadSanitizer, which puts signals off.
class Anywhere {
 public:
  Anywhere(const Rates& rates, std::uint32_t seed);
  Anywhere(const Anywhere&) = delete;
  Anywhere& operator=(const Anywhere&) = delete;
  ~Anywhere();

 private:
  void* timer_ = nullptr;
};

/// All three. Those with rates of 0 cost a test.
struct Everywhere {
  Rates at_accesses;
  Rates within_the_library;
  Rates anywhere;
};

class Delayed {
 public:
  Delayed(const Everywhere& rates, std::uint32_t seed)
      : at_accesses_(rates.at_accesses, seed),
        within_the_library_(rates.within_the_library, seed + 1),
        anywhere_(rates.anywhere, seed + 2) {}

 private:
  AtAccesses at_accesses_;
  WithinTheLibrary within_the_library_;
  Anywhere anywhere_;
};

/// Each library is tested with those within it if it is interruptible, and with the others if it is as it is.
inline bool apply(const Everywhere& rates) {
  return (rates.within_the_library.yield != 0) == library_is_interruptible();
}

inline constexpr Everywhere undisturbed = {};
inline constexpr Everywhere delayed_at_accesses = {{.yield = 8, .sleep = 400, .stall = 0}, {}, {}};
inline constexpr Everywhere delayed_within_the_library = {{}, {.yield = 500, .sleep = 5'000, .stall = 500'000}, {}};
inline constexpr Everywhere stalled_anywhere = {{}, {}, {.yield = 8, .sleep = 200, .stall = 2'000}};

/// Delays within the library need more time to show anything, and are fewer tests.
inline Campaign campaign_with(const Everywhere& rates) {
  using std::chrono_literals::operator""ms;
  return Campaign(rates.within_the_library.yield != 0 ? 250ms : 70ms);
}

}  // namespace perdure::delays

#endif
