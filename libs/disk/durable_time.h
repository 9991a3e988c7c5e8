#ifndef PERDURE_DISK_DURABLE_TIME_H
#define PERDURE_DISK_DURABLE_TIME_H

#include <atomic>
#include <cstdint>
#include <mutex>

#include "disk/log_ring.h"

namespace perdure::disk {

/// Up to which time of the commit clock (sync/clock.h) all commits are durable in a log. A transaction that has only
/// read, and nothing newer, has nothing to wait for. The time lags behind by a group or two.
///
/// It comes from samples: a time, and a position in the log. Invariant: all records of commits up to that time lie
/// before the position; so when that is durable, they are. For a transaction says that it runs before it takes its
/// timestamp, and ends after it has appended its record. The sample takes the time of the clock first, and then the
/// smallest time since which a transaction runs: whoever has an earlier timestamp was either seen to run since before
/// that, or had ended; and the position is taken last.
///
/// Times say nothing of transactions that leave versions as they were. Each time that such ones may have come, the
/// samples from before are of no use (sched/unversioned_commits.h).
class DurableTime {
 public:
  /// \returns 0 where nothing is known. In a transaction: it holds for what that has read by versions.
  std::uint64_t now() const noexcept;

  /// Learns more, if somebody else is not at it. For threads that are about to wait for the log, or have done so.
  void advance(const LogRing& ring) noexcept;

 private:
  struct Sample {
    std::uint64_t era;       // as unversioned_commits
    std::uint64_t time;      // of the commit clock
    std::uint64_t position;  // in the log
  };
  static constexpr std::uint64_t no_era = ~std::uint64_t{0};

  static Sample take_sample(const LogRing& ring) noexcept;
  void publish(const Sample& sample) noexcept;

  std::mutex mutex_;
  Sample pending_{no_era, 0, 0};  // guarded by it

  // What was published: of one era, times only grow.
  std::atomic<std::uint64_t> era_{no_era};
  std::atomic<std::uint64_t> time_{0};
};

}  // namespace perdure::disk

#endif
