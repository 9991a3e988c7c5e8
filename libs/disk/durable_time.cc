#include "disk/durable_time.h"

#include <algorithm>

#include "persist/fault.h"
#include "sched/thread_registry.h"
#include "sched/unversioned_commits.h"
#include "sync/clock.h"

namespace perdure::disk {

std::uint64_t DurableTime::now() const noexcept {
  const std::uint64_t era = era_.load(std::memory_order_acquire);
  // Acquire: who sees the time of another era sees below that the first one is over.
  const std::uint64_t time = time_.load(std::memory_order_acquire);
  // The transaction began behind whatever has changed memory in place: it sees that.
  const std::uint64_t current = sched::unversioned_commits.load(std::memory_order_relaxed);
  return era == current && era_.load(std::memory_order_relaxed) == era ? time : 0;
}

void DurableTime::advance(const LogRing& ring) noexcept {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;
  if (pending_.era != no_era) {
    if (!ring.is_durable(pending_.position) && !persist::is_seeded(persist::Fault::sampled_early)) return;
    publish(pending_);
  }
  pending_ = take_sample(ring);
}

DurableTime::Sample DurableTime::take_sample(const LogRing& ring) noexcept {
  Sample sample{};
  // Acquire, and first: of commits without versions that come later the sample says nothing, and its era is another.
  sample.era = sched::unversioned_commits.load(std::memory_order_acquire);
  const std::uint64_t now = sync::commit_clock.now();
  sample.time = std::min(now, sched::thread_registry.minimum(&sched::ThreadSlot::running_since, nullptr));
  sample.position = ring.appended();
  return sample;
}

void DurableTime::publish(const Sample& sample) noexcept {
  if (era_.load(std::memory_order_relaxed) != sample.era) era_.store(no_era, std::memory_order_relaxed);
  time_.store(sample.time, std::memory_order_release);
  era_.store(sample.era, std::memory_order_release);
}

}  // namespace perdure::disk
