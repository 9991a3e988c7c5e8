#ifndef PERDURE_ALLOC_MARK_WORK_H
#define PERDURE_ALLOC_MARK_WORK_H

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <span>
#include <vector>

namespace perdure::alloc {

/// Memory whose words a marker is still to visit: a marked block, or a part of a large one.
using Range = std::span<const std::byte>;

/// The ranges that no marker has taken yet. Markers share their work through it, transactions add to it what they
/// overwrite. The mark is over when nothing is left here and every marker waits: whoever adds a range either is a
/// marker, and so does not wait, or adds it under the lock before it lets a marker see the reason.
class MarkWork {
 public:
  void add(std::span<const Range> ranges) {
    const std::lock_guard lock(mutex_);
    ranges_.insert(ranges_.end(), ranges.begin(), ranges.end());
    changed_.notify_all();
  }

  /// For transactions. Adds what `find(Range&)` finds, if it finds something: under the lock, so that no other one
  /// takes a block for marked whose range is not here yet.
  template <class Find>
  void add_if(Find&& find) {
    const std::lock_guard lock(mutex_);
    Range range;
    if (!find(range)) return;
    ranges_.push_back(range);
    changed_.notify_all();
  }

  void enter() {
    const std::lock_guard lock(mutex_);
    ++busy_;
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    if (--busy_ == 0) changed_.notify_all();
  }

  /// Moves some ranges to `to`, waiting for them; for a marker that has none left. \returns false when the mark is
  /// over.
  bool take(std::vector<Range>& to) {
    std::unique_lock lock(mutex_);
    --busy_;
    hungry_.fetch_add(1, std::memory_order_relaxed);
    if (ranges_.empty() && busy_ == 0) changed_.notify_all();
    while (ranges_.empty() && busy_ != 0) changed_.wait(lock);
    hungry_.fetch_sub(1, std::memory_order_relaxed);
    if (ranges_.empty()) return false;
    ++busy_;
    const std::size_t count = std::min(ranges_.size(), most_taken);
    to.assign(ranges_.end() - static_cast<std::ptrdiff_t>(count), ranges_.end());
    ranges_.resize(ranges_.size() - count);
    return true;
  }

  /// Whether some marker waits for work.
  bool is_wanted() const { return hungry_.load(std::memory_order_relaxed) != 0; }

 private:
  static constexpr std::size_t most_taken = 256;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Range> ranges_;
  unsigned busy_ = 0;  // markers that hold ranges of their own
  std::atomic<unsigned> hungry_{0};
};

}  // namespace perdure::alloc

#endif
