#ifndef PERDURE_ALGORITHMS_IN_PLACE_CHANGES_H
#define PERDURE_ALGORITHMS_IN_PLACE_CHANGES_H

#include <atomic>
#include <cstdint>

namespace perdure::algorithms {

/// Memory that has no copies is changed in place, by one transaction at a time. Who reads there sees whether anything
/// was changed since it began.
class InPlaceChanges {
 public:
  constexpr InPlaceChanges() = default;

  /// Odd while somebody changes it.
  std::uint64_t count() const { return count_.load(std::memory_order_acquire); }
  /// Whether it is as it was, and was not being changed, at `count`. Behind an acquiring load, whose value can be used
  /// then.
  bool is_unchanged_since(std::uint64_t count) const { return count % 2 == 0 && this->count() == count; }
  /// Before the first store. The stores release, so who reads one of their values sees this.
  void begin() { count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
  /// The same, unless somebody changes it, or has since `count`.
  bool try_begin(std::uint64_t count) {
    return count % 2 == 0 && count_.compare_exchange_strong(count, count + 1, std::memory_order_seq_cst);
  }
  /// Release: behind the last store.
  void end() { count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

  /// In a forked child.
  void forget_threads() {
    if (count() % 2 != 0) end();
  }

 private:
  std::atomic<std::uint64_t> count_{0};
};

}  // namespace perdure::algorithms

#endif
