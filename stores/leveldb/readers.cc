#include "readers.h"

#include <numeric>

#include "change.h"

namespace perdure::stores {

bool Readers::add(Stamp stamp, How how) {
  const std::lock_guard lock(mutex_);
  const auto found = moments_.find(stamp);
  if (found == moments_.end() && how == How::join) return false;
  ++moments_[stamp].readers;
  known_.store(moments_.size());
  return true;
}

std::vector<Retained*> Readers::remove(Stamp stamp) {
  const std::lock_guard lock(mutex_);
  const auto found = moments_.find(stamp);
  if (--found->second.readers != 0 || found->second.kept.empty()) return {};
  std::vector<Retained*> kept = std::move(found->second.kept);
  kept_.fetch_sub(kept.size(), std::memory_order_relaxed);
  moments_.erase(found);
  known_.store(moments_.size());
  return kept;
}

Stamp Readers::latest_between(Stamp older, Stamp newer) {
  // Sequentially consistent, behind the transaction's read of `now`.
  if (known_.load() == 0) return 0;
  const std::lock_guard lock(mutex_);
  for (auto next = moments_.lower_bound(newer); next != moments_.begin();) {
    const auto at = std::prev(next);
    if (at->first < older) return 0;
    if (at->second.readers != 0) return at->first;
    if (at->second.kept.empty()) {  // nobody is there any more: who comes later begins a new moment
      next = moments_.erase(at);
      known_.store(moments_.size());
    } else {
      next = at;
    }
  }
  return 0;
}

bool Readers::keep(Stamp stamp, Retained* retained) {
  const std::lock_guard lock(mutex_);
  const auto found = moments_.find(stamp);
  if (found == moments_.end() || found->second.readers == 0) return false;
  found->second.kept.push_back(retained);
  kept_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

std::size_t Readers::readers() const {
  const std::lock_guard lock(mutex_);
  return std::accumulate(moments_.begin(), moments_.end(), std::size_t{0},
                         [](std::size_t sum, const auto& moment) { return sum + moment.second.readers; });
}

unsigned list_of_thread() {
  static std::atomic<unsigned> threads{0};
  thread_local const unsigned number = threads.fetch_add(1, std::memory_order_relaxed) % RetainedLists::count;
  return number;
}

Stamp latest_reader_between(Readers& readers, Stamp older, Stamp newer) { return readers.latest_between(older, newer); }

}  // namespace perdure::stores
