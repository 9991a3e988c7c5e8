#ifndef PERDURE_SYNC_SEQUENCE_LOCK_H
#define PERDURE_SYNC_SEQUENCE_LOCK_H

#include <atomic>
#include <cstdint>

#include "sync/spin.h"

namespace perdure::sync {

/// A lock and a counter of what was done under it, in one word: odd while it is held. Half of an even value is the
/// number of commits, which serves as the clock.
class alignas(64) SequenceLock {
 public:
  static constexpr std::uint64_t commits(std::uint64_t even_value) { return even_value / 2; }

  /// \returns the value when nobody holds the lock. Acquire: shows what the last holder wrote.
  std::uint64_t wait_until_free() const {
    Spinner spinner;
    for (;;) {
      const std::uint64_t value = value_.load(std::memory_order_acquire);
      if (value % 2 == 0) return value;
      spinner.wait();
    }
  }

  bool is(std::uint64_t value) const { return value_.load(std::memory_order_acquire) == value; }

  /// Takes the lock if the value is still `even_value`. Sequentially consistent, like Clock::tick, and for the same
  /// reason.
  bool try_lock(std::uint64_t even_value) {
    return value_.compare_exchange_strong(even_value, even_value + 1, std::memory_order_seq_cst);
  }

  /// One more commit. Release: whoever sees the new value sees what was written.
  void unlock(std::uint64_t even_value) { value_.store(even_value + 2, std::memory_order_release); }

  /// Nothing was written.
  void unlock_unchanged(std::uint64_t even_value) { value_.store(even_value, std::memory_order_release); }

  /// The process has just been forked: if the lock is held, then by a thread that the child does not have.
  void forget_threads() {
    const std::uint64_t value = value_.load(std::memory_order_relaxed);
    value_.store(value + value % 2, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> value_{0};
};

inline constinit SequenceLock commit_sequence;

}  // namespace perdure::sync

#endif
