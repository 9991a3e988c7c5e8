#ifndef PERDURE_LOG_COMMIT_OVER_POOLS_H
#define PERDURE_LOG_COMMIT_OVER_POOLS_H

#include <cstdint>
#include <deque>

#include "log/durable_commit.h"
#include "log/durable_records.h"
#include "log/redo_log.h"
#include "log/retirement.h"
#include "log/two_phase_commit.h"
#include "persist/domain.h"
#include "persist/fault.h"
#include "pool/window.h"
#include "sched/thread_registry.h"

namespace perdure::log {

/// Makes the commit of a lazy algorithm durable that has written to several pools: by redo logs that are prepared, a
/// decision, and then, in each pool, what DurableRedo or DurableRecords would have made there. Rare, so it may take its
/// time; has the interface of those two.
///
/// Every record that counts by itself has the commit timestamp, as in a transaction over one pool, and is retired like
/// any other. So is what recovery replays in the end, whichever of the pools' records a crash has left.
template <class Mode, persist::Domain Domain>
class CommitOverPools : DurableCommit<Mode, Domain> {
  using Base = DurableCommit<Mode, Domain>;

 public:
  using typename Base::Writes;

  CommitOverPools() = default;
  CommitOverPools(const CommitOverPools&) = delete;
  CommitOverPools& operator=(const CommitOverPools&) = delete;
  ~CommitOverPools() {
    clear();
    two_phase_commit_.release();
  }

  bool is_active() const { return !parts_.empty(); }

  void announce(const Writes& writes, sched::ThreadSlot& self, std::uint64_t now) {
    for (const auto& entry : writes) part_of(entry.address).writes.insert(entry.address) = entry;
    if constexpr (Mode::self_validating_records) {
      // All logs before the timestamp is taken: what they hold then is older.
      for (Part& part : parts_) part.records.announce(part.writes, self, now);
    } else if constexpr (Mode::deferred_flushing) {
      self.unretired_since.store(now + 1, std::memory_order_release);
    }
  }

  /// All that can fail, and the first phase. What fails, or does not commit after all, is taken back by `withdraw`.
  template <class Captured>
  LogResult prepare(const Captured& captured) {
    std::size_t number = 0;
    for (Part& part : parts_) {
      if (const LogResult result = two_phase_commit_.join(*part.heap); result != LogResult::written) return result;
      if (const LogResult result = write_log(part); result != LogResult::written) return result;
      if constexpr (Mode::self_validating_records)
        if (const LogResult result = part.records.prepare(part.writes, captured); result != LogResult::written)
          return result;
    }
    captured.template flush<Domain>();
    for (Part& part : parts_) two_phase_commit_.prepare(number++, part.log.template complete<Domain>());
    // All logs, what says that they are prepared, and the captured blocks: before the decision, which vouches for them.
    if (!persist::is_seeded(persist::Fault::decision_before_logs)) Domain::fence();
    return LogResult::written;
  }

  void withdraw(sched::ThreadSlot& self) {
    if constexpr (Mode::deferred_flushing) self.unretired_since.store(sched::never, std::memory_order_release);
    two_phase_commit_.abandon();
    clear();
  }

  template <class ReleaseLocks>
  void commit(std::uint64_t commit_timestamp, sched::ThreadSlot& self, ReleaseLocks&& release_locks) {
    for (Part& part : parts_) Base::shade_overwritten(part.writes);
    two_phase_commit_.decide();
    if (persist::is_seeded(persist::Fault::finished_before_logs)) two_phase_commit_.finish();
    count_by_themselves(commit_timestamp);
    if (two_phase_commit_.is_prepared()) two_phase_commit_.finish();
    for (Part& part : parts_)
      for (const auto& entry : part.writes) entry.write_back();
    if constexpr (Mode::self_validating_records) {
      release_locks();
      for (Part& part : parts_)
        if (has_record(part)) part.records.complete(commit_timestamp);
      self.unretired_since.store(sched::never, std::memory_order_release);
      for (Part& part : parts_) part.records.retire(commit_timestamp);
    } else if constexpr (Mode::deferred_flushing) {
      release_locks();
      flush_data();
      retire_in_commit_order(commit_timestamp, self);
    } else {
      flush_data();
      for (Part& part : parts_) part.log.template deactivate<Domain>();
      Domain::fence();  // retired before the locks are released: at most one active record holds any location
      release_locks();
    }
    clear();
  }

 private:
  /// What the transaction has to do with one pool.
  struct Part {
    explicit Part(alloc::Heap* heap) : heap(heap) {}
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;
    ~Part() {
      log.release();
      writes.release();
      if constexpr (Mode::self_validating_records) records.release();
    }

    struct NoRecords {};

    alloc::Heap* heap;
    Writes writes;
    RedoLog log;  // prepared; where there are no records, also what counts by itself
    [[no_unique_address]] std::conditional_t<Mode::self_validating_records, DurableRecords<Mode, Domain>, NoRecords>
        records;
  };

  Part& part_of(std::uint64_t address) {
    alloc::Heap* const heap = alloc::heap_of(reinterpret_cast<const void*>(address));
    for (Part& part : parts_)
      if (part.heap == heap) return part;
    return parts_.emplace_back(heap);
  }

  static LogResult write_log(Part& part) {
    return part.log.template write<Domain, Mode::coalesced_flushes>(part.writes.entries());
  }

  /// In each pool the transaction becomes one like all others, which does not need the decision.
  void count_by_themselves(std::uint64_t commit_timestamp) {
    for (Part& part : parts_) {
      if constexpr (!Mode::self_validating_records)
        part.log.template activate<Domain>(commit_timestamp);
      else if (has_record(part))
        part.records.append(part.writes, commit_timestamp);
    }
    Domain::fence();  // before the decision goes, and before the data can reach memory, or be read
    if constexpr (Mode::self_validating_records)
      for (Part& part : parts_) part.records.after_fence();
  }

  /// For the tests of the crash simulator: otherwise all have.
  bool has_record(const Part& part) const {
    return !persist::is_seeded(persist::Fault::records_skipped) || &part == &parts_.front();
  }

  void flush_data() {
    for (Part& part : parts_) Base::flush_data(part.writes);
    Domain::fence();  // the data before the records are retired
  }

  /// As in log/retirement.h. The bound is lifted when the records are in the queue, so they are missed by nobody; there
  /// they are retired at once if they are the oldest.
  void retire_in_commit_order(std::uint64_t commit_timestamp, sched::ThreadSlot& self) {
    RetirementQueue& queue = retirement_queue();
    for (Part& part : parts_) queue.add(part.log.take_record(), commit_timestamp);
    self.unretired_since.store(sched::never, std::memory_order_release);
    queue.template drain<Domain>();
  }

  void clear() {
    parts_.clear();
    two_phase_commit_.leave();
  }

  std::deque<Part> parts_;
  TwoPhaseCommit two_phase_commit_;
};

}  // namespace perdure::log

#endif
