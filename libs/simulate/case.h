#ifndef PERDURE_SIMULATE_CASE_H
#define PERDURE_SIMULATE_CASE_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulate/scheduler.h"

namespace perdure::simulate {

/// The way to one crash state: which interleaving, and for the crash, the crash of the recovery from it and so on,
/// after which event it came and what it left in the lines that are looked at, in the order of looking.
struct Case {
  struct Crash {
    std::size_t event = 0;
    bool killed = false;  ///< only the process died: memory was left as it was
    std::vector<std::size_t> choices;
  };
  Strategy schedule;
  std::optional<std::uint64_t> lot;  ///< what the first crash left was drawn by this lot
  std::vector<Crash> crashes;

  /// "uniform-7/120:0.1/4:2", "uniform-7@99/120", or "uniform-7/120k/4"
  std::string spell() const;
  static std::optional<Case> parse(std::string_view text);
};

}  // namespace perdure::simulate

#endif
