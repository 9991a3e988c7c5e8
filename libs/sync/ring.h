#ifndef PERDURE_SYNC_RING_H
#define PERDURE_SYNC_RING_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sync/filter.h"
#include "sync/spin.h"

namespace perdure::sync {

/// The last 1024 writing commits: for each the filter of what it writes. (Spear, Michael, von Praun, "RingSTM",
/// SPAA'08.) A commit enters the ring, which gives it its timestamp, then writes back; commits that write different
/// locations do so at the same time, but complete in order. So one number says which are complete.
class Ring {
 public:
  static constexpr std::size_t size = 1024;

  /// The number of the latest commit that has entered. Acquire pairs with `enter`.
  std::uint64_t newest() const { return newest_.load(std::memory_order_acquire); }

  /// All commits up to this one have written back. Acquire: shows what they wrote.
  std::uint64_t complete() const { return complete_.load(std::memory_order_acquire); }

  void wait_until_complete(std::uint64_t commit) const {
    Spinner spinner;
    while (complete() < commit) spinner.wait();
  }

  /// Enters as commit `newest` + 1, unless somebody else was faster. Sequentially consistent, like Clock::tick, and for
  /// the same reason.
  bool enter(std::uint64_t newest, const Filter& writes) {
    if (!newest_.compare_exchange_strong(newest, newest + 1, std::memory_order_seq_cst)) return false;
    const std::uint64_t commit = newest + 1;
    if (commit > size) wait_until_complete(commit - size);  // those who complete look at their predecessors' filters
    Entry& entry = entry_of(commit);
    entry.commit.store(0, std::memory_order_relaxed);
    // Release, each behind the 0: a reader that sees a word of this filter does not take it for the previous one's.
    for (std::size_t i = 0; i < Filter::words; ++i) entry.words[i].store(writes.word(i), std::memory_order_release);
    entry.commit.store(commit, std::memory_order_release);
    return true;
  }

  /// What it wrote can be read by all. Waits for the commits before it.
  void complete(std::uint64_t commit) {
    wait_until_complete(commit - 1);
    complete_.store(commit, std::memory_order_release);
  }

  /// The process has just been forked: the child does not have the threads of commits that are not complete. Whoever
  /// begins now does so behind them, and looks at none of their filters.
  void forget_threads() { complete_.store(newest_.load(std::memory_order_relaxed), std::memory_order_relaxed); }

  enum class Intersection { none, some, forgotten };

  /// Whether commit `commit`, which has entered, writes anything in `filter`.
  Intersection intersection(std::uint64_t commit, const Filter& filter) const {
    const Entry& entry = entry_of(commit);
    Spinner spinner;
    while (entry.commit.load(std::memory_order_acquire) < commit) spinner.wait();  // it is still filling its entry in
    std::uint64_t common = 0;
    for (std::size_t i = 0; i < Filter::words; ++i)
      common |= entry.words[i].load(std::memory_order_acquire) & filter.word(i);
    if (entry.commit.load(std::memory_order_relaxed) != commit) return Intersection::forgotten;
    return common == 0 ? Intersection::none : Intersection::some;
  }

 private:
  struct alignas(64) Entry {
    std::atomic<std::uint64_t> commit;  // 0 while it changes
    std::array<std::atomic<std::uint64_t>, Filter::words> words;
  };

  Entry& entry_of(std::uint64_t commit) { return entries_[commit % size]; }
  const Entry& entry_of(std::uint64_t commit) const { return entries_[commit % size]; }

  alignas(64) std::atomic<std::uint64_t> newest_;
  alignas(64) std::atomic<std::uint64_t> complete_;
  std::array<Entry, size> entries_;
};

inline constinit Ring commit_ring{};

}  // namespace perdure::sync

#endif
