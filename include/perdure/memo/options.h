#ifndef PERDURE_MEMO_OPTIONS_H
#define PERDURE_MEMO_OPTIONS_H

#include <cstdint>

namespace perdure {

inline constexpr std::uint64_t memo_unlimited = ~std::uint64_t{0};

struct MemoOptions {
  /// Of the function: change it when the function computes something else than before. Results of other versions stay
  /// until they are evicted or forgotten, and are found again by a memo of their version.
  std::uint64_t version = 0;
  /// How many results the table may hold. Beyond that some are evicted that were not asked for lately (the clock
  /// algorithm). A limit has a call that finds its result write to the pool now and then.
  std::uint64_t most_entries = memo_unlimited;
  /// How many bytes they may take: see MemoBytes. A result that alone takes more is not kept.
  std::uint64_t most_bytes = memo_unlimited;
};

struct MemoStatistics {
  std::uint64_t entries = 0;  ///< in the table, of all versions
  std::uint64_t bytes = 0;    ///< that they take (MemoBytes)
  std::uint64_t stored = 0;   ///< results of evaluations, in all runs
  std::uint64_t evicted = 0;  ///< of these, for the sake of a limit

  // Calls of this memo:
  std::uint64_t hits = 0;         ///< the result was there
  std::uint64_t evaluations = 0;  ///< the function was called, and has returned
  std::uint64_t failures = 0;     ///< it was called, and the result was not stored, for an exception
  std::uint64_t waits = 0;        ///< another thread was evaluating the same
};

}  // namespace perdure

#endif
