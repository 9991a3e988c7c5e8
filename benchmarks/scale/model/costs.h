#ifndef PERDURE_BENCHMARKS_SCALE_COSTS_H
#define PERDURE_BENCHMARKS_SCALE_COSTS_H

#include <iosfwd>

#include "engine.h"

namespace perdure::scale {

/// What things take on one thread that nobody disturbs, in nanoseconds. Measured and fitted by scripts/scale.py
/// (docs/benchmarks.md says how).
struct Costs {
  // Of the workload.
  Time outside = 0;  ///< between two transactions
  Time body = 0;     ///< what the body of an average transaction does by itself

  // Of the library.
  Time transaction = 0;  ///< begin and commit of a transaction that does nothing; half each
  Time read = 0;         ///< every read of pool memory
  Time read_stripe = 0;  ///< more for the first of a stripe
  Time write = 0;        ///< every write to pool memory
  Time write_chunk = 0;  ///< more for the first of what is logged as one, without flushes and fences

  // Of the machine.
  Time flush = 0;
  Time shared_flush = 0;  ///< of a flushed line, at what all cores share: lines queue up there (bandwidth)
  Time fence = 0;
  Time transfer = 0;       ///< of a line that another core has changed
  Time next_transfer = 0;  ///< of one more such line, where several are asked for at once
  Time pause = 1;          ///< the instruction that spinning threads wait with; not 0, or they would wait for ever
  Time wake = 0;           ///< until a thread that sleeps in the kernel runs
  Time validate = 0;       ///< looking again at one location that was read
  Time filter = 0;         ///< intersecting two filters of 1024 bits

  // What the formulas for flushes and fences leave out, as measured over predicted; 1: nothing.
  double flush_factor = 1;
  double fence_factor = 1;
  double retired_lines = 0;  ///< flushed later for an average transaction (`fast`)
};

/// Reads lines of a name and a number; costs that are not named are as they were.
/// \throws std::runtime_error for a name that is none, or a negative number.
Costs read_costs(std::istream& in);

}  // namespace perdure::scale

#endif
