#ifndef PERDURE_LOG_RETIREMENT_H
#define PERDURE_LOG_RETIREMENT_H

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "alloc/heap.h"
#include "log/announcement.h"
#include "log/record.h"
#include "log/redo_log.h"
#include "persist/domain.h"
#include "persist/step.h"
#include "sched/thread_registry.h"
#include "sync/spin.h"

/// The order in which redo logs are retired when data is flushed after the locks are released (deferred flushing,
/// PACT'19 section IV.D).
///
/// The published order can lose a committed transaction: T1 (commit order 5) and T2 (6) both write X; T2 flushes X and
/// retires its log while T1, delayed, has not; after a crash only T1's log is active, and its old X is written over
/// T2's. Timestamps order only logs that are both active. So a log is retired only when every older log has been,
/// durably. A thread does not wait for that: it leaves its finished record here and goes on with other segments, and
/// whoever comes by later retires it, with all others that can be: one store, `RecordWatermark::retired`, says in each
/// pool that they do not count any more.
namespace perdure::log {

/// Finished records (their data is durable) that some older record keeps from being retired.
///
/// Invariant: a record stays among them until it is retired, durably. So `oldest` never passes one that recovery may
/// replay.
class RetirementQueue {
 public:
  /// The commit timestamp of the oldest record here, or `never`. Written under the lock, read without.
  std::uint64_t oldest() const { return oldest_.load(std::memory_order_acquire); }

  void add(SegmentHeader* record, std::uint64_t commit_timestamp);

  /// Retires what can be. Does nothing while another thread is at it.
  void drain() {
    // Whoever wants to leave a record waits for one fence. Without that, threads would run ahead of who drains, with
    // ever more segments that no cache has.
    if (oldest() == sched::never || !lock_.try_lock()) return;
    const std::scoped_lock guard(std::adopt_lock, lock_);
    // A bound published after this is larger than every timestamp in the queue, because those were taken before.
    const std::span<const Record> retired = all_before(oldest_announced());
    if (retired.empty()) return;
    persistence::perform<persistence::Step::batch_retired>([&] { retire(retired); });
    for (const Record& record : retired) release_segments(record.head);
    records_.erase(records_.begin(), records_.begin() + static_cast<std::ptrdiff_t>(retired.size()));
    note_oldest();
  }

  /// Retires all that is left of a pool that is being closed, whatever older commits are under way in other pools: in
  /// this one no transaction runs, so nothing older can be written over its data. Waits for a thread that drains, which
  /// may be writing to this pool.
  void retire_all_in(alloc::Heap& heap);

  /// A clean pool has no log whose status counts: what `retired` alone said, the logs say, durably.
  static void settle(alloc::Heap& heap);

 private:
  struct Record {
    SegmentHeader* head;
    std::uint64_t commit_timestamp;
  };

  std::span<const Record> all_before(std::uint64_t bound) const;
  static void retire(std::span<const Record> records);
  static void release_segments(SegmentHeader* head);
  void note_oldest();

  sync::SpinLock lock_;
  std::atomic<std::uint64_t> oldest_{sched::never};
  std::vector<Record> records_;  // by timestamp
};

/// One for the program, since the commit order is one. Lives until the process ends.
RetirementQueue& retirement_queue();

/// Retires the record that `log` has written, or leaves it in the queue. Its data is durable.
inline void retire_in_commit_order(RedoLog& log, std::uint64_t commit_timestamp, sched::ThreadSlot& self) {
  RetirementQueue& queue = retirement_queue();
  const std::uint64_t oldest_running = oldest_announced(&self);  // before the queue: log/announcement.h
  const auto retire = [&] {
    const bool is_oldest = std::min(oldest_running, queue.oldest()) > commit_timestamp;
    if (persistence::value<persistence::Step::oldest_retired>(is_oldest)) {
      log.deactivate();
      persistence::fence();  // before the bound is lifted: younger logs may be retired from then on
      log.recycle();
    } else {
      queue.add(log.take_record(), commit_timestamp);
    }
  };
  persistence::in_order<persistence::Step::retired_before_bound>(retire, [&] { lift_announcement(self); });
  queue.drain();
}

/// No record of a commit before this time can be replayed any more; `never` if none can.
inline std::uint64_t oldest_unretired() {
  const std::uint64_t of_threads = oldest_announced();  // before the queue: log/announcement.h
  return std::min(of_threads, retirement_queue().oldest());
}

/// Waits until no record up to this time can be replayed any more. Where memory that a transaction has made private may
/// be used without one, quiescence is not enough: the records of older transactions outlive them (in the queue, while
/// another thread drains it, or, without quiescence, between the release of the locks and the flush), and after a crash
/// they would be written over what was stored there since. Its own record may do so, too.
///
/// Nobody waits for this thread meanwhile, which has left its transaction, so it ends.
inline void wait_until_retired(std::uint64_t commit_timestamp) {
  for (sync::Spinner spinner; oldest_unretired() <= commit_timestamp; spinner.wait()) retirement_queue().drain();
}

}  // namespace perdure::log

#endif
