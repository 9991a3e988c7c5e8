#include "disk/durable_time.h"

#include <algorithm>
#include <utility>

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
  const auto is_durable = [&](const Sample& sample) {
    return ring.is_durable(sample.position) || persistence::is_seeded(persistence::Fault::sampled_early);
  };
  const auto begin = pending_.begin();
  const auto rest = std::find_if_not(begin, begin + pending_count_, is_durable);
  if (rest != begin) publish(*(rest - 1));
  pending_count_ = static_cast<std::size_t>(std::move(rest, begin + pending_count_, begin) - begin);
  // (Of records that lie in one group one sample is enough; which these are is not known yet.)
  if (pending_count_ != most_pending) pending_[pending_count_++] = take_sample(ring);
}

std::uint64_t DurableTime::position_of(std::uint64_t time, const LogRing& ring) noexcept {
  const std::uint64_t appended = ring.appended();
  const std::uint64_t era = sched::unversioned_commits.load(std::memory_order_relaxed);
  const std::scoped_lock lock(mutex_);
  for (std::size_t i = 0; i < pending_count_; ++i)
    if (pending_[i].era == era && pending_[i].time >= time) return std::min(pending_[i].position, appended);
  return appended;
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
