#ifndef PERDURE_TESTS_SIMULATOR_WORKLOADS_H
#define PERDURE_TESTS_SIMULATOR_WORKLOADS_H

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "simulate/scheduler.h"
#include "simulate/workload.h"

namespace perdure::simulate {

enum class Threads : std::uint8_t { one, several };

/// How many crash states there are: of a medium workload the short tests leave out crashes in recovery, of a large one
/// they draw some by lot. Of a lengthy one searches for faults try few interleavings.
enum class Size : std::uint8_t { small, medium, lengthy, large };

/// A small program that is explored exhaustively.
struct NamedWorkload {
  std::string_view name;
  std::unique_ptr<Workload> (*make)();
  Threads threads = Threads::one;
  Size size = Size::small;
};

std::span<const NamedWorkload> small_workloads();

/// Longer ones, of which crash states are drawn by lot.
std::span<const NamedWorkload> sampled_workloads();

/// Interleavings to explore: `count` of both kinds, or one where there is nothing to interleave.
std::vector<Strategy> schedules_for(const NamedWorkload& workload, std::size_t count);

}  // namespace perdure::simulate

#endif
