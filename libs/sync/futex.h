#ifndef PERDURE_SYNC_FUTEX_H
#define PERDURE_SYNC_FUTEX_H

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <ctime>

/// Sleeping on a word of memory (futex(2)), among the threads of a process.
namespace perdure::sync {

/// Sleeps while `word` is `value`, until `wake` is called with one of the bits of `sleeper`, or for a hundredth of a
/// second. May return early.
inline void sleep_while(const std::atomic<std::uint32_t>& word, std::uint32_t value, std::uint32_t sleeper) {
  timespec until{};  // the operation with a mask takes a point in time
  clock_gettime(CLOCK_MONOTONIC, &until);
  constexpr long second = 1'000'000'000;
  until.tv_nsec += second / 100;
  if (until.tv_nsec >= second) {
    until.tv_nsec -= second;
    ++until.tv_sec;
  }
  syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, value, &until, nullptr, sleeper);
}

/// The clock of `sleep_until`, in nanoseconds.
inline std::uint64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

/// Sleeps while `word` is `value`, until `wake` is called, or until the clock says `time`. May return early.
inline void sleep_until(const std::atomic<std::uint32_t>& word, std::uint32_t value, std::uint64_t time) {
  const timespec until{static_cast<time_t>(time / 1'000'000'000), static_cast<long>(time % 1'000'000'000)};
  const bool is_for_ever = time == ~std::uint64_t{0};
  syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, value, is_for_ever ? nullptr : &until, nullptr, ~0U);
}

/// Wakes at most `count` of those that sleep on `word` with one of the bits of `sleeper`.
inline void wake(const std::atomic<std::uint32_t>& word, std::uint32_t sleeper, int count) {
  syscall(SYS_futex, &word, FUTEX_WAKE_BITSET_PRIVATE, count, nullptr, nullptr, sleeper);
}

/// Wakes all that sleep on `word` with one of the bits of `sleeper`.
inline void wake(const std::atomic<std::uint32_t>& word, std::uint32_t sleeper) {
  constexpr int all = 1 << 30;
  wake(word, sleeper, all);
}

}  // namespace perdure::sync

#endif
