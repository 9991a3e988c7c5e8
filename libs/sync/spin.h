#ifndef PERDURE_SYNC_SPIN_H
#define PERDURE_SYNC_SPIN_H

#include <sched.h>
#include <atomic>
#include <cstdint>

namespace perdure::sync {

inline void pause() { __builtin_ia32_pause(); }

/// Waits politely: spins for a while, then gives the processor away, so that a thread that holds what is waited for can
/// run even when there are more threads than cores.
class Spinner {
 public:
  static constexpr std::uint32_t spins_before_yield = 256;

  void wait() {
    if (++turns_ < spins_before_yield)
      pause();
    else
      sched_yield();
  }

 private:
  std::uint32_t turns_ = 0;
};

/// A test-and-test-and-set lock for critical sections of a few instructions.
class SpinLock {
 public:
  void lock() {
    Spinner spinner;
    while (held_.exchange(true, std::memory_order_acquire))
      while (held_.load(std::memory_order_relaxed)) spinner.wait();
  }
  bool try_lock() { return !held_.load(std::memory_order_relaxed) && !held_.exchange(true, std::memory_order_acquire); }
  void unlock() { held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> held_{false};
};

}  // namespace perdure::sync

#endif
