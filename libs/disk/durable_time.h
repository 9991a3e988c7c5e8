#ifndef PERDURE_DISK_DURABLE_TIME_H
#define PERDURE_DISK_DURABLE_TIME_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "disk/log_ring.h"

namespace perdure::disk {

/// Up to which time of the commit clock (sync/clock.h) all commits are durable in a log. A transaction that has
/// written nothing to a pool, and read nothing newer, has nothing to wait for. The time lags behind by a group.
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
  /// \returns 0 where nothing is known. It holds for what a transaction that began before has read by versions.
  std::uint64_t now() const noexcept;

  /// Where all records of commits up to `time` end that such a transaction may have read. Perhaps others, too.
  std::uint64_t position_of(std::uint64_t time, const LogRing& ring) noexcept;

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

  static constexpr std::size_t most_pending = 8;

  std::mutex mutex_;
  std::array<Sample, most_pending> pending_;  // guarded by it; not durable yet, the oldest first
  std::size_t pending_count_ = 0;             // the same

  // What was published: of one era, times only grow.
  std::atomic<std::uint64_t> era_{no_era};
  std::atomic<std::uint64_t> time_{0};
};

}  // namespace perdure::disk

#endif
