#ifndef PERDURE_SCHED_WAITERS_H
#define PERDURE_SCHED_WAITERS_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sched/thread_registry.h"
#include "sync/filter.h"

namespace perdure::sched {

/// Whether somebody has cancelled. Sequentially consistent: who cancels sets it first and looks for waiters then.
inline bool is_set(const int* cancelled) { return __atomic_load_n(cancelled, __ATOMIC_SEQ_CST) != 0; }

/// A transaction that cannot go on with what it has read, and that its thread has rolled back: what would let it go on.
struct Waiter {
  sync::Filter read;                          ///< what it has read
  std::uint64_t deadline = never;             ///< of sync::now()
  std::span<const int* const> cancellations;  ///< one of them is not 0: it is to wait no longer

  bool is_cancelled() const;
  /// Until it is woken, or the deadline is over.
  void sleep();
  void wake();

 private:
  std::atomic<std::uint32_t> is_woken_{0};
};

/// The transactions that wait, of all threads.
///
/// No wake-up is lost: who waits enrols first and then looks again at what it has read; who commits locks what it
/// writes first, and looks then whether anybody waits. All four are sequentially consistent, the second of each by the
/// locked instruction before it. So a commit sees the waiter, or the waiter the commit.
class Waiters {
 public:
  /// What a commit pays when nobody waits. Relaxed: see above.
  bool are_there() const { return count_.load(std::memory_order_relaxed) != 0; }

  void enroll(Waiter& waiter);
  void withdraw(Waiter& waiter);

  /// Wakes those that have read some of what is written.
  void wake(const sync::Filter& written) const;
  /// Wakes those that wait as long as this is 0, which it is no more.
  void wake(const int& cancelled) const;

 private:
  struct Enrolment;
  static Enrolment& enrolment();
  bool may_be_concerned(const sync::Filter& written) const;
  void publish(const std::vector<Waiter*>& all);

  alignas(64) std::atomic<std::uint32_t> count_{0};
  /// All that any of them has read: so those that write something else take no lock.
  std::array<std::atomic<std::uint64_t>, sync::Filter::words> read_{};
};

inline constinit Waiters waiters;

}  // namespace perdure::sched

#endif
