#ifndef PERDURE_STATS_COUNTERS_H
#define PERDURE_STATS_COUNTERS_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "perdure/statistics.h"
#include "persist/counts.h"

namespace perdure::stats {

/// Why a transaction was rolled back.
enum class AbortReason : std::uint8_t {
  locked,      ///< a location it needs is locked by another transaction
  validation,  ///< a location it read has changed
  exception,   ///< an exception left the body
  retry,       ///< it waits for something to change
};
inline constexpr std::size_t abort_reasons = 4;

/// What one thread counts (see perdure::Statistics for the meanings). Flushes and fences are counted by the
/// persistence domain itself.
struct Counters {
  Counter commits;
  Counter read_only_commits;
  std::array<Counter, abort_reasons> aborts;
  Counter log_bytes;
  Counter retired_lines;
  Counter redo_lookups;
  Counter redo_hits;
  Counter validations;
  Counter extensions;
  Counter hourglass_turns;
  Counter quiescence_waits;
  Counter quiescence_nanoseconds;
  Counter allocations;
  Counter frees;
  Counter serial_transactions;
  Counter solitudes;
  Counter hardware_commits;
  Counter hardware_aborts;
  Counter bytes_given_back;
  Counter replica_turns;
  Counter commits_for_others;

  void count_hardware(bool has_committed) { (has_committed ? hardware_commits : hardware_aborts).add(1); }
  void count_abort(AbortReason reason) { aborts[static_cast<std::size_t>(reason)].add(1); }
};

inline thread_local constinit Counters counters;

/// What there is of replicas, in all open pools. They come and go seldom, so all threads share it.
class ReplicaGauge {
 public:
  constexpr ReplicaGauge() = default;

  void add(std::uint64_t superblocks, std::uint64_t bytes) {
    if constexpr (!statistics_enabled) return;
    superblocks_.fetch_add(superblocks, std::memory_order_relaxed);
    bytes_.fetch_add(bytes, std::memory_order_relaxed);
  }
  void remove(std::uint64_t superblocks, std::uint64_t bytes) { add(0 - superblocks, 0 - bytes); }

  std::uint64_t superblocks() const { return superblocks_.load(std::memory_order_relaxed); }
  std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> superblocks_{0};
  std::atomic<std::uint64_t> bytes_{0};
};

inline constinit ReplicaGauge replicas;

/// Makes this thread's counters part of the sum. `withdraw` keeps what they counted and must precede the thread's end.
void enroll_this_thread();
void withdraw_this_thread();

/// Prints the sum, if PERDURE_STATS asks for it. Called when the program ends, if a thread was enrolled.
void report();

}  // namespace perdure::stats

#endif
