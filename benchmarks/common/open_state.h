#ifndef PERDURE_BENCHMARKS_COMMON_OPEN_STATE_H
#define PERDURE_BENCHMARKS_COMMON_OPEN_STATE_H

#include "perdure/open_report.h"

namespace perdure::benchmarks {

/// As results spell it.
constexpr const char* state_name(OpenReport::State state) {
  switch (state) {
    case OpenReport::State::created:
      return "created";
    case OpenReport::State::clean:
      return "clean";
    case OpenReport::State::recovered:
      return "recovered";
    case OpenReport::State::is_volatile:
      return "volatile";
  }
  return "unknown";
}

}  // namespace perdure::benchmarks

#endif
