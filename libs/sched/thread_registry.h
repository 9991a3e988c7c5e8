#ifndef PERDURE_SCHED_THREAD_REGISTRY_H
#define PERDURE_SCHED_THREAD_REGISTRY_H

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>

namespace perdure::sched {

/// Later than every time.
inline constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

/// What other threads may know of a thread. What it writes at every transaction, and others read now and then, is on
/// other lines than what others read at every transaction, and it seldom writes. (A line is fetched with its
/// neighbour.)
struct alignas(128) ThreadSlot {
  /// The time the running transaction started at; `never` between transactions.
  std::atomic<std::uint64_t> running_since{never};

  /// A lower bound on the commit timestamp of the transaction whose log this thread is writing, or has written and not
  /// yet retired; `never` when there is none. Written and read by log/announcement.h only.
  std::atomic<std::uint64_t> unretired_since{never};

  /// 1 + the slot of the pool of which it has a copy to itself, and reads no other one (log/exclusive_copy.h); or 0.
  std::atomic<std::uint64_t> has_copy_of{0};

  /// The turn that this thread helps to complete (log/turns.h); 0: none.
  std::atomic<std::uint64_t> completes{0};
  /// The one of which it keeps what it wrote (log/mirror.h); 0: none.
  std::atomic<std::uint64_t> keeps{0};
  /// What it may be writing to in a pool itself (log/mirror.h): two chunks; 0: none.
  std::array<std::atomic<std::uint64_t>, 2> mirrors{};

  /// How many transactions it has begun, each attempt counted; the number goes round. Others see by it whether the
  /// thread is at work (tx/solitude.h).
  std::atomic<std::uint32_t> beginnings{0};
  /// How many of them were aborted (sched/alternation.h).
  std::atomic<std::uint32_t> aborts{0};

  /// Like `running_since` if the running transaction has used memory outside of pools, otherwise `never`. Only kept
  /// where nobody waits for other transactions.
  alignas(128) std::atomic<std::uint64_t> uses_other_memory_since{never};

  /// An operation that this thread has others do, until one takes it (tx/combining.h); null where there is none.
  std::atomic<void*> announced{nullptr};

  std::atomic<bool> in_use{false};

  /// The thread's transaction (tx/thread_context.h), for a child that is forked by another thread; null where there is
  /// nothing to be put right.
  std::atomic<void*> owner{nullptr};
  ThreadSlot* next = nullptr;  // set before the slot is published, constant afterwards
};

/// All slots: a list that only grows, to the largest number of threads that ever ran at once. There is no fixed limit.
class ThreadRegistry {
 public:
  /// A slot for the calling thread, reused from an ended thread where possible.
  ThreadSlot& acquire();
  void release(ThreadSlot& slot);

  /// The process has just been forked, and the calling thread needs no slot: all are free.
  void forget_threads();

  template <class Function>
  void for_each(Function&& function) const {
    // Acquire pairs with the release in `acquire()`: a slot is seen complete.
    for (ThreadSlot* slot = first_.load(std::memory_order_acquire); slot != nullptr; slot = slot->next) function(*slot);
  }

  /// The smallest value of `field` among all threads but `self`.
  std::uint64_t minimum(std::atomic<std::uint64_t> ThreadSlot::* field, const ThreadSlot* self) const {
    std::uint64_t result = never;
    for_each([&](const ThreadSlot& slot) {
      if (&slot == self) return;
      // Acquire: a thread seen to have ended its transaction (or retired its log) has finished with all it touched.
      const std::uint64_t value = (slot.*field).load(std::memory_order_acquire);
      if (value < result) result = value;
    });
    return result;
  }

 private:
  std::atomic<ThreadSlot*> first_{nullptr};
};

inline constinit ThreadRegistry thread_registry;

}  // namespace perdure::sched

#endif
