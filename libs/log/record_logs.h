#ifndef PERDURE_LOG_RECORD_LOGS_H
#define PERDURE_LOG_RECORD_LOGS_H

#include <array>
#include <atomic>
#include <cstdint>

#include "log/record_log.h"
#include "log/watermark.h"
#include "pool/window.h"

namespace perdure::log {

/// The record logs of the pool in one slot, and its watermark.
/// Who retires records reads what threads announce, then `completed` of each log, then its `flushed_through`; why in
/// this order, log/announcement.h says.
class RecordLogs {
 public:
  constexpr RecordLogs() = default;

  /// The pool has been opened. \param log_budget  see OpenOptions.
  void open(alloc::Heap& heap, std::size_t log_budget);

  /// A log for the calling thread, which was another's before where possible. Called before the commit takes its
  /// timestamp: what is in the log is older.
  RecordLog& acquire();

  Watermark& watermark() { return watermark_; }

  /// How many bytes of records are retired together. More means that a line which is written often is flushed less
  /// often; less, that nobody waits long for the flushes, and that logs and freed blocks are reused while they are in
  /// the cache.
  std::size_t batch_bytes() const { return batch_bytes_; }

  /// The time up to which all data is durable.
  /// \param now  a commit timestamp of this thread: every transaction up to it has announced itself, or is done.
  std::uint64_t flushed_through(std::uint64_t now) const;

  /// Makes the data of the logs durable that have not come beyond `time`: their threads may be asleep.
  void help_those_behind(std::uint64_t time);

  /// Retires what can be, and gives back the segments: when the pool is full.
  void retire(std::uint64_t now);

  /// Retires everything. No transaction runs.
  void retire_all();
  /// The same, and forgets the pool.
  void close();

  /// Blocks of this pool that were freed up to this time are in no record that could be replayed.
  std::uint64_t reuse_horizon() const;

 private:
  template <class Function>
  void for_each(Function&& function) const {
    // Acquire pairs with the release in `acquire()`: a log is seen complete.
    for (RecordLog* log = first_.load(std::memory_order_acquire); log != nullptr; log = log->next) function(*log);
  }
  static void make_durable(RecordLog& log);

  std::atomic<RecordLog*> first_{nullptr};  // a list that only grows, like that of the threads' slots
  Watermark watermark_;
  alloc::Heap* heap_ = nullptr;
  std::size_t batch_bytes_ = 0;
};

/// By slot. They outlive the pools: a thread may look at the logs of one pool while another is closed.
inline constinit std::array<RecordLogs, pool::slot_count> record_logs;

/// The same for all pools.
std::uint64_t reuse_horizon_of_records();

}  // namespace perdure::log

#endif
