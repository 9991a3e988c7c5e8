#ifndef PERDURE_SYNC_SPIN_H
#define PERDURE_SYNC_SPIN_H

#include <sched.h>
#include <time.h>
#include <algorithm>
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

/// For what may last: a serial transaction that talks to a socket keeps everybody else waiting. After some turns it
/// sleeps, longer each time, so that those who wait leave the processors to those who work.
class PatientSpinner {
 public:
  static constexpr std::uint32_t yields_before_sleep = 256;
  static constexpr long shortest_sleep = 20'000;  // nanoseconds
  static constexpr long longest_sleep = 500'000;  // also the most by which a thread is late

  void wait() {
    if (++turns_ < Spinner::spins_before_yield)
      pause();
    else if (!sleeps || turns_ < Spinner::spins_before_yield + yields_before_sleep)
      sched_yield();
    else
      sleep();
  }

 private:
#ifdef PERDURE_SIMULATED
  static constexpr bool sleeps = false;  // the scheduler of the simulator lets one thread run at a time
#else
  static constexpr bool sleeps = true;
#endif

  [[gnu::noinline, gnu::cold]] void sleep() {
    const timespec moment{0, nanoseconds_};
    nanosleep(&moment, nullptr);  // a signal may end it: the caller looks again
    nanoseconds_ = std::min(2 * nanoseconds_, longest_sleep);
    --turns_;
  }

  std::uint32_t turns_ = 0;
  long nanoseconds_ = shortest_sleep;
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
  /// At that moment.
  bool is_locked() const { return held_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> held_{false};
};

}  // namespace perdure::sync

#endif
