#ifndef PERDURE_SIMULATE_EXPLORER_H
#define PERDURE_SIMULATE_EXPLORER_H

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "simulate/case.h"
#include "simulate/images.h"
#include "simulate/persistence.h"
#include "simulate/resolver.h"
#include "simulate/scheduler.h"
#include "simulate/sites.h"
#include "simulate/workload.h"

namespace perdure::simulate {

/// What to explore of a workload.
struct Plan {
  /// How threads are interleaved: the workload is run once for each, or for the first only if it has but one thread.
  std::vector<Strategy> schedules = {Strategy{}};
  /// 1: crashes of the program; 2: also crashes of the recovery from these, and of that from a kill, which loses
  /// nothing that was stored but leaves it to be lost later; and so on.
  unsigned depth = 1;
  /// Kills also between a store and the next one.
  bool every_kill = false;
  /// 0: all crash states. Otherwise so many, drawn by lot with a liking for the extremes, in all schedules together.
  std::uint64_t samples = 0;
  std::uint64_t seed = 1;  ///< of the lots
  /// Also finds the places that flush and fence (Explorer::sites).
  bool notes_sites = false;
  /// Seeds a fault: flushes and fences that a faulty program would not have made are taken out of the trace, which is
  /// what it would have been, since nothing in a program depends on them.
  std::function<bool(const Event&)> is_left_out;
  /// Only this crash.
  std::optional<Case> replay;
};

/// What was explored.
struct Report {
  std::uint64_t events = 0;  ///< in the traces
  std::uint64_t drawn = 0;   ///< samples; those that are the same state are tried once
  /// Crash states that recovery or the check can tell apart, each recovered from and checked.
  std::uint64_t states = 0;
  std::uint64_t nested = 0;  ///< those of them that a crash of recovery left
};

/// Runs a workload and crashes it at every event, in all the ways that the persistence domain allows.
class Explorer {
 public:
  /// \param directory  where the pools are made, on tmpfs; it is made, too, and removed when nothing is left in it.
  Explorer(Workload& workload, const Plan& plan, const std::filesystem::path& directory);
  ~Explorer();

  /// \throws Violation at the first crash after which something is wrong; `current_case` then says how to come there.
  Report explore();

  const Case& current_case() const { return case_; }
  /// What the workload did, up to the crashes of the current case and beyond.
  const Trace& trace() const { return trace_; }
  const Sites& sites() const { return sites_; }
  /// Told of each case before it is tried.
  std::function<void(const Case&)> on_case;

 private:
  struct Outcome {
    CrashState start;              ///< the state as far as it was looked at
    Trace trace;                   ///< what recovery and check did
    std::size_t recovered_at = 0;  ///< where in it recovery has ended: before the first transaction
  };

  void run_workload(const Strategy& schedule);
  void explore_trace();
  void sample_trace(std::uint64_t samples);
  void replay_case();
  void apply(const Event& event, Persistence& persistence);
  void explore_state(const CrashState& state, unsigned depth);
  void explore_kill(const Persistence& persistence);
  void explore_recovery(Persistence persistence, std::span<const Event> recovery, unsigned depth);
  /// One content for each line, by the case's lot.
  CrashState draw(CrashState state) const;
  Outcome try_state(const CrashState& state, Choices& choices);
  bool is_new(std::uint64_t state, unsigned depth);
  std::uint64_t hash_of_state(const CrashState& state) const;

  Workload& workload_;
  const Plan& plan_;
  std::filesystem::path directory_;
  Paths paths_;
  std::optional<Images> images_;
  Notes notes_;
  Case case_;
  Trace trace_;
  Report report_;
  Sites sites_;
  std::uint64_t image_hash_ = 0;  // of the lines that differ from the first images
  std::unordered_map<std::uint64_t, unsigned> visited_;
  std::mt19937_64 random_;
};

}  // namespace perdure::simulate

#endif
