#ifndef PERDURE_LOG_DURABLE_REDO_H
#define PERDURE_LOG_DURABLE_REDO_H

#include <cstdint>

#include "log/announcement.h"
#include "log/durable_commit.h"
#include "log/redo_log.h"
#include "log/retirement.h"
#include "persist/domain.h"
#include "sched/thread_registry.h"
#include "stats/counters.h"

namespace perdure::log {

/// What the two journals with redo logs share: lines 6 to 9 of PACT'19's Listing 1. (log/journal.h has the steps.)
///
/// The durability points, in order:
///  1. the log and the captured blocks are durable        (`prepare`, first fence)
///  2. the record counts                                  (`await`, second fence)
///  3. the data is durable                                (`complete`, third fence)
///  4. the record does not count any more                 (`retire`, fourth fence)
template <class Mode>
class RedoJournal {
 public:
  using Writes = WriteSet<typename Mode::PoolEntry>;
  using Entry = typename Mode::PoolEntry;
  using Position = FencePosition;

  constexpr RedoJournal() = default;

  /// Durability point 1. Nothing is visible yet; may fail.
  template <class Captured>
  LogResult prepare(const Writes& writes, const Captured& captured) {
    const LogResult result = prepare_part(writes);
    if (result != LogResult::written) return result;
    stats::counters.log_bytes.add(log_.bytes());
    captured.flush();
    persistence::fence();  // log and captured blocks before the status that vouches for them
    return result;
  }

  Position append(const Writes&, std::uint64_t commit_timestamp) {
    log_.activate(commit_timestamp);
    return {};
  }

  /// Durability point 2: the record counts before any of its writes can reach memory by eviction, or be read.
  static void await(const Position&) { persistence::fence(); }

  void release() { log_.release(); }

  // -- in one of several pools
  // -----------------------------------------------------------------------------------------

  LogResult prepare_part(const Writes& writes) { return log_.write<Mode::coalesced_flushes>(writes.entries()); }
  const SegmentHeader& prepared() { return log_.complete(); }
  Position append_part(const Writes& writes, std::uint64_t commit_timestamp) {
    return append(writes, commit_timestamp);
  }
  template <class Parts>
  static void await_all(Parts&) {
    persistence::fence();
  }

 protected:
  RedoLog log_;
};

/// Deferred flushing: locks are released when the record counts, and data is flushed behind that (PACT'19, IV.D). Logs
/// are retired in the order of commits (log/retirement.h).
template <class Mode>
class DurableRedo : public RedoJournal<Mode> {
  using Base = RedoJournal<Mode>;
  using Base::log_;

 public:
  using typename Base::Entry;
  using typename Base::Writes;
  using InSeveralPools = DurableRedo;
  static constexpr Visible visible = Visible::when_durable;

  constexpr DurableRedo() = default;

  /// Before the commit timestamp is taken.
  template <class Captured>
  void announce(const Writes& writes, const Captured&, sched::ThreadSlot& self, std::uint64_t now) {
    announce(writes, self, now);
  }
  static void announce(const Writes&, sched::ThreadSlot& self, std::uint64_t now) { log::announce(self, now); }
  static void withdraw(sched::ThreadSlot& self) { lift_announcement(self); }

  static void written_back(const Entry&) {}

  static void complete(const Writes& writes, std::uint64_t) {
    DurableCommit<Mode>::flush_data(writes);
    persistence::fence();  // the data before the record is retired
  }
  void retire(std::uint64_t commit_timestamp, sched::ThreadSlot& self) {
    retire_in_commit_order(log_, commit_timestamp, self);
  }
  /// Where one lock keeps others out, the last of them may have released it and be flushing its data still.
  static void retire_older(const void*) { wait_until_retired(sched::never - 1); }

  template <class Parts>
  static void complete_all(Parts& parts, std::uint64_t) {
    for (auto& part : parts) DurableCommit<Mode>::flush_data(part.writes);
    persistence::fence();  // the data before the records are retired
  }
  /// In the queue they are retired at once if they are the oldest.
  template <class Parts>
  static void retire_all(Parts& parts, std::uint64_t commit_timestamp, sched::ThreadSlot& self) {
    RetirementQueue& queue = retirement_queue();
    for (auto& part : parts) queue.add(part.journal.log_.take_record(), commit_timestamp);
    lift_announcement(self);
    queue.drain();
  }
};

/// Listing 1 as it stands: locks are released when the record does not count any more. So at most one active record
/// holds any location, nobody has to know the order, and nothing is announced.
template <class Mode>
class DurableRedoAsPublished : public RedoJournal<Mode> {
  using Base = RedoJournal<Mode>;
  using Base::log_;

 public:
  using typename Base::Entry;
  using typename Base::Writes;
  using InSeveralPools = DurableRedoAsPublished;
  static constexpr Visible visible = Visible::when_retired;

  constexpr DurableRedoAsPublished() = default;

  template <class Captured>
  static void announce(const Writes&, const Captured&, sched::ThreadSlot&, std::uint64_t) {}
  static void announce(const Writes&, sched::ThreadSlot&, std::uint64_t) {}
  static void withdraw(sched::ThreadSlot&) {}

  static void written_back(const Entry& entry) { persistence::flush_data(entry.address); }

  static void complete(const Writes&, std::uint64_t) { persistence::fence(); }  // the data before the record is retired
  void retire(std::uint64_t, sched::ThreadSlot&) {
    log_.deactivate();
    persistence::fence();  // before the locks are released
    log_.recycle();
  }
  static void retire_older(const void*) {}  // all are

  template <class Parts>
  static void complete_all(Parts&, std::uint64_t) {
    persistence::fence();
  }
  template <class Parts>
  static void retire_all(Parts& parts, std::uint64_t, sched::ThreadSlot&) {
    for (auto& part : parts) part.journal.log_.deactivate();
    persistence::fence();
  }
};

}  // namespace perdure::log

#endif
