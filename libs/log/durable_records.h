#ifndef PERDURE_LOG_DURABLE_RECORDS_H
#define PERDURE_LOG_DURABLE_RECORDS_H

#include <bit>
#include <cstddef>
#include <cstdint>

#include "log/announcement.h"
#include "log/disk_commit.h"
#include "log/durable_commit.h"
#include "log/record_log.h"
#include "log/record_logs.h"
#include "log/redo_log.h"
#include "log/retirement.h"
#include "log/segments.h"
#include "persist/domain.h"
#include "persist/lines.h"
#include "persist/step.h"
#include "sched/thread_registry.h"
#include "stats/counters.h"

namespace perdure::log {

template <class Mode>
class RecordsInSeveralPools;

/// The journal of the mode `fast`: a commit is durable by one fence. (log/journal.h has the steps.)
///
/// The durability points, in order:
///  1. the captured blocks are durable    (the locked instruction that takes the commit timestamp)
///  2. the record is, and counts          (`await`: the fence)
///  3. the data is                        (the fence of a later transaction)
///  4. the watermark that says so is      (the fence of a still later one)
///
/// Data is written back after point 2: whatever of it reaches memory by eviction, the record is there to complete it.
/// Locks are released after that, so whoever reads the data comes after the record, and what depends on a transaction
/// never outlives it.
template <class Mode>
class DurableRecords {
 public:
  using Writes = WriteSet<typename Mode::PoolEntry>;
  using Entry = typename Mode::PoolEntry;
  using Position = FencePosition;
  using InSeveralPools = RecordsInSeveralPools<Mode>;
  static constexpr Visible visible = Visible::when_durable;

  constexpr DurableRecords() = default;

  /// Before the commit timestamp is taken. The captured blocks must be durable before the record can be, which eviction
  /// may write to memory as soon as it is complete. The locked instruction that takes the timestamp sees to that (fence
  /// pipelining, PACT'19, IV.C).
  template <class Captured>
  void announce(const Writes& writes, const Captured& captured, sched::ThreadSlot& self, std::uint64_t now) {
    captured.flush();
    announce(writes, self, now);
  }
  /// The log before the announcement, and so before the timestamp: what the log holds then is older.
  void announce(const Writes& writes, sched::ThreadSlot& self, std::uint64_t now) {
    attach(reinterpret_cast<const void*>(writes.begin()->address));
    announced_ = now + 1;
    log::announce(self, now);
  }

  void withdraw(sched::ThreadSlot& self) {
    disk_commit_.withdraw();
    lift_announcement(self);
  }

  /// Makes room for the record. May fail.
  template <class Captured>
  LogResult prepare(const Writes& writes, const Captured& captured) {
    payload_words_ = writes.size() * changed_bytes::most_words<Entry>;
    if (log_->has_room(payload_words_)) [[likely]]
      return LogResult::written;
    if (disk_log_ != nullptr) return disk_commit_.prepare(*disk_log_, writes, captured);
    return reserve_exactly(writes) ? LogResult::written : why_no_segment(*heap_);
  }

  // Of a pool on a disk, instead of all that follows `prepare`.
  bool is_on_disk() const { return disk_log_ != nullptr; }
  disk::PoolLog* disk_log() const { return disk_log_; }
  DiskCommit& disk_commit() { return disk_commit_; }

  Position append(const Writes& writes, std::uint64_t commit_timestamp) {
    // The one that took the timestamp: durability point 1.
    persistence::perform<persistence::Step::captured_before_record>([] { persistence::locked_instruction(); });
    return append_record(writes, commit_timestamp);
  }

  /// Durability point 2: before the data can reach memory, and before it can be read.
  void await(const Position&) {
    persistence::fence();
    after_fence();
  }

  static void written_back(const Entry&) {}

  /// Before the announcement is lifted: then the record is in the log's books.
  void complete(const Writes&, std::uint64_t commit_timestamp) { log_->complete(commit_timestamp); }

  void retire(std::uint64_t commit_timestamp, sched::ThreadSlot& self) {
    lift_announcement(self);
    retire_batch(commit_timestamp);
  }
  static void retire_older(const void* address) {
    wait_until_retired(sched::never - 1);  // of a commit that is under way
    record_logs[pool::slot_of(address)].retire_all();
  }

  void release() {
    detach();
    disk_commit_.release();
  }

 protected:
  LogResult make_room(const Writes& writes) {
    payload_words_ = writes.size() * changed_bytes::most_words<Entry>;
    if (log_->has_room(payload_words_)) [[likely]]
      return LogResult::written;
    return reserve_exactly(writes) ? LogResult::written : why_no_segment(*heap_);
  }

  Position append_record(const Writes& writes, std::uint64_t commit_timestamp) {
    const std::size_t words =
        log_->append(logs_->watermark().run(), commit_timestamp, writes.entries(), payload_words_);
    stats::counters.log_bytes.add((CommitRecordPart::head_words + words) * sizeof(std::uint64_t));
    return {};
  }

  void after_fence() {
    if (retiring_.is_on) [[unlikely]]
      end_batch();
  }

  void retire_batch(std::uint64_t commit_timestamp) {
    if (log_->appended_bytes() >= logs_->batch_bytes()) [[unlikely]]
      begin_batch(commit_timestamp);
  }

 private:
  /// What becomes true with the next fence.
  struct Retiring {
    bool is_on = false;
    RecordLog::Position flushed;
    std::uint64_t watermark = 0;
  };

  bool is_attached() const {
    return log_ != nullptr && alloc::heap_of(pool_) == heap_ && heap_->number() == heap_number_;
  }

  /// \param address  in the pool that the record is to be in. One on a disk counts as another each time: so who commits
  /// to others need not ask.
  void attach(const void* address) {
    const alloc::Heap* const heap = alloc::heap_of(address);
    if (heap == attached_to_ && heap->number() == heap_number_) [[likely]]
      return;
    change_pool(address);
  }

  [[gnu::noinline]] void change_pool(const void* address) {
    detach();
    pool_ = address;
    heap_ = alloc::heap_of(address);
    if (heap_ == nullptr) pool::stop_at_closed_pool(address);
    disk_log_ = disk::log_of(address);
    if (disk_log_ != nullptr) {
      static RecordLog without_room;
      log_ = &without_room;
      return;
    }
    attached_to_ = heap_;
    heap_number_ = heap_->number();
    logs_ = &record_logs[pool::slot_of(address)];
    log_ = &logs_->acquire();
  }

  /// Leaves the log to whoever comes next. (A pool that was closed took its logs with it.)
  void detach() {
    if (disk_log_ == nullptr && is_attached()) {
      if (retiring_.is_on) {
        persistence::fence();
        end_batch();
      }
      log_->release();
    }
    log_ = nullptr;
    disk_log_ = nullptr;
    heap_ = nullptr;
    attached_to_ = &nowhere;
    retiring_.is_on = false;
    last_batch_ = 0;
  }

  [[gnu::noinline]] bool reserve_exactly(const Writes& writes) {
    payload_words_ = 0;
    for (const auto& entry : writes) payload_words_ += changed_bytes::size_of(entry);
    if (log_->reserve(*heap_, logs_->watermark(), payload_words_)) return true;
    logs_->retire(announced_ - 1);
    return log_->reserve(*heap_, logs_->watermark(), payload_words_);
  }

  /// Flushes the data of the records that were appended since the last batch, and raises the watermark over what
  /// earlier fences have covered. The fence of the next commit covers this.
  [[gnu::noinline]] void begin_batch(std::uint64_t now) {
    // A thread that has done nothing since this one's last batch may be asleep.
    logs_->help_those_behind(last_batch_);
    last_batch_ = now;
    log_->restart_count();
    persistence::StoredLines<256> lines;
    retiring_.is_on = true;
    retiring_.flushed = log_->flush_data([&lines](std::uint64_t address) {
      if (lines.flush(address)) stats::counters.retired_lines.add(1);
    });
    retiring_.watermark = now;
    persistence::perform<persistence::Step::watermark_limited>(
        [&] { retiring_.watermark = logs_->flushed_through(now); });
    logs_->watermark().raise(retiring_.watermark);
    stats::counters.retired_lines.add(1);
    if (!persistence::value<persistence::Step::batch_awaits_fence>(true)) end_batch();
  }

  /// The fence has passed.
  [[gnu::noinline]] void end_batch() {
    retiring_.is_on = false;
    log_->note_flushed(retiring_.flushed);
    logs_->watermark().became_durable(retiring_.watermark);
  }

  /// What no heap is equal to, not even the one that there is none of because the pool is closed.
  static constexpr char nowhere = 0;

  RecordLog* log_ = nullptr;
  RecordLogs* logs_ = nullptr;
  alloc::Heap* heap_ = nullptr;
  const void* attached_to_ = &nowhere;  // the heap
  std::uint64_t heap_number_ = 0;
  const void* pool_ = nullptr;  // any address in it
  std::uint64_t announced_ = 0;
  std::size_t payload_words_ = 0;  // at most
  std::uint64_t last_batch_ = 0;   // the timestamp at which it was begun
  Retiring retiring_;
  disk::PoolLog* disk_log_ = nullptr;  // of a pool that has a log beside it
  DiskCommit disk_commit_;
};

/// In one of several pools, with a redo log beside it that is prepared. (Captured blocks are durable with that.)
template <class Mode>
class RecordsInSeveralPools : public DurableRecords<Mode> {
  using Base = DurableRecords<Mode>;

 public:
  using typename Base::Position;
  using typename Base::Writes;

  LogResult prepare_part(const Writes& writes) {
    const LogResult result = prepared_.write<Mode::coalesced_flushes>(writes.entries());
    if (result != LogResult::written) return result;
    if (disk::PoolLog* const log = Base::disk_log(); log != nullptr) {
      const auto admission = log->would_admit(writes.size() * changed_bytes::most_words<typename Base::Entry> * 8);
      return admission == disk::PoolLog::Admission::too_large ? LogResult::pool_full : LogResult::written;
    }
    return Base::make_room(writes);
  }
  const SegmentHeader& prepared() {
    const SegmentHeader& head = prepared_.complete();
    if (Base::is_on_disk()) prepared_.note();
    return head;
  }

  Position append_part(const Writes& writes, std::uint64_t commit_timestamp) {
    return Base::append_record(writes, commit_timestamp);
  }
  template <class Parts>
  static void await_all(Parts& parts) {
    persistence::fence();
    for (auto& part : parts) part.journal.after_fence();
  }
  template <class Parts>
  static void complete_all(Parts& parts, std::uint64_t commit_timestamp) {
    for (auto& part : parts)
      if (part.has_record) part.journal.complete(part.writes, commit_timestamp);
  }
  template <class Parts>
  static void retire_all(Parts& parts, std::uint64_t commit_timestamp, sched::ThreadSlot& self) {
    lift_announcement(self);
    for (auto& part : parts) part.journal.retire_batch(commit_timestamp);
  }

  void release() {
    prepared_.release();
    Base::release();
  }

 private:
  RedoLog prepared_;
};

}  // namespace perdure::log

#endif
