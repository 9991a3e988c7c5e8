#ifndef PERDURE_TESTS_REPETITIONS_H
#define PERDURE_TESTS_REPETITIONS_H

#include <cstdint>

#include "persist/sanitizers.h"

namespace perdure {

/// How often a test repeats what chance decides: where threads meet, or where a crash falls. Under a sanitizer a
/// quarter as often: each time takes several times as long, and shows accesses that are wrong whatever chance decides.
constexpr std::uint64_t repetitions(std::uint64_t times) {
#if defined(PERDURE_THREAD_SANITIZER) || defined(PERDURE_ADDRESS_SANITIZER)
  return (times + 3) / 4;
#else
  return times;
#endif
}

}  // namespace perdure

#endif
