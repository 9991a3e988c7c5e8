#ifndef PERDURE_BENCHMARKS_SCALE_MODE_H
#define PERDURE_BENCHMARKS_SCALE_MODE_H

#include <stdexcept>
#include <string>

namespace perdure::scale {

/// What the model has to know of a mode (algorithms/mode.h).
struct Mode {
  bool durable = false;
  bool logs_chunks = false;  ///< of 32 bytes (a redo log, what changed of them); otherwise words
  bool deferred_flushing = false;
  bool coalesced_flushes = false;
  bool pipelined_fences = false;
  bool combined_activation = false;  ///< shares the first entry's fence, with undo logs
  bool one_fence = false;            ///< self-validating records
  bool quiesces = false;             ///< after every commit, for all who run; nobody uses memory outside of pools here
  bool tracks_allocations = false;
  bool waits_for_latest = false;  ///< of several copies, the one that lacks least
  bool retires_in_order = true;   ///< and not as published (libs/log/retirement.h)
};

/// \throws std::invalid_argument for a name that is none.
inline Mode mode_of(const std::string& name) {
  if (name == "stm") return {.quiesces = true};
  if (name == "naive") return {.durable = true, .quiesces = true};
  Mode mode = {.durable = true,
               .deferred_flushing = true,
               .coalesced_flushes = true,
               .pipelined_fences = true,
               .quiesces = true,
               .tracks_allocations = true};
  if (name == "gp") return mode;
  mode.logs_chunks = true;
  mode.quiesces = false;
  if (name == "ip") return mode;
  mode.combined_activation = true;
  if (name == "gpw") return mode;
  mode.one_fence = true;
  if (name == "fast") return mode;
  mode = {.durable = true, .logs_chunks = true, .coalesced_flushes = true, .tracks_allocations = true};
  if (name == "twin" || name == "helped" || name == "ptm") return mode;
  mode.waits_for_latest = true;
  if (name == "timed") return mode;
  throw std::invalid_argument("the mode '" + name +
                              "' is not modelled; there are stm, naive, gp, ip, gpw, fast, twin, "
                              "helped, timed and ptm");
}

}  // namespace perdure::scale

#endif
