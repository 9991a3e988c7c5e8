#ifndef PERDURE_LOG_DURABLE_REDO_H
#define PERDURE_LOG_DURABLE_REDO_H

#include <cstdint>

#include "log/durable_commit.h"
#include "log/redo_log.h"
#include "log/retirement.h"
#include "persist/domain.h"
#include "persist/fault.h"
#include "sched/thread_registry.h"
#include "stats/counters.h"

namespace perdure::log {

/// Makes the commit of a lazy algorithm durable: lines 6 to 13 of PACT'19's Listing 1, which are the same for all of
/// them. The mode says where the locks are released (deferred flushing) and how entries are flushed.
///
/// The durability points, in order:
///  1. the log and the captured blocks are durable        (`prepare`, first fence)
///  2. the record counts                                  (second fence)
///  3. the data is durable                                (third fence)
///  4. the record does not count any more                 (fourth fence)
template <class Mode, persist::Domain Domain>
class DurableRedo : public DurableCommit<Mode, Domain> {
  using Base = DurableCommit<Mode, Domain>;

 public:
  using typename Base::Writes;

  constexpr DurableRedo() = default;

  /// Before the commit timestamp is taken: tells other threads that a log with a timestamp of at least `now` + 1 may
  /// become active (log/retirement.h).
  template <class Captured>
  void announce(const Writes&, const Captured&, sched::ThreadSlot& self, std::uint64_t now) {
    if constexpr (Mode::deferred_flushing) self.unretired_since.store(now + 1, std::memory_order_release);
  }

  /// The transaction will not commit after all.
  void withdraw(sched::ThreadSlot& self) {
    if constexpr (Mode::deferred_flushing) self.unretired_since.store(sched::never, std::memory_order_release);
  }

  /// Durability point 1. Nothing is visible yet; may fail.
  template <class Captured>
  LogResult prepare(const Writes& writes, const Captured& captured) {
    const LogResult result = log_.template write<Domain, Mode::coalesced_flushes>(writes.entries());
    if (result != LogResult::written) return result;
    stats::counters.log_bytes.add(log_.bytes());
    captured.template flush<Domain>();
    Domain::fence();  // log and captured blocks before the status that vouches for them
    return result;
  }

  /// Durability points 2 to 4. `release_locks` makes the new values readable by others.
  template <class ReleaseLocks>
  void commit(const Writes& writes, std::uint64_t commit_timestamp, sched::ThreadSlot& self,
              ReleaseLocks&& release_locks) {
    Base::shade_overwritten(writes);
    Base::misplace_steps(writes, release_locks);
    log_.template activate<Domain>(commit_timestamp);
    Domain::fence();  // the record counts before any of its writes can reach memory by eviction, or be read
    if constexpr (Mode::deferred_flushing) {
      for (const auto& entry : writes) entry.write_back();
      release_locks();
      Base::flush_data(writes);
      Domain::fence();  // the data before the record is retired
      retire_in_commit_order<Domain>(log_, commit_timestamp, self);
    } else {
      for (const auto& entry : writes) {
        entry.write_back();
        Domain::flush(reinterpret_cast<const void*>(entry.address));
      }
      Domain::fence();  // the data before the record is retired
      log_.template deactivate<Domain>();
      Domain::fence();  // retired before the locks are released: at most one active record holds any location
      log_.recycle();
      release_locks();
    }
  }

  void release() { log_.release(); }

 private:
  RedoLog log_;
};

}  // namespace perdure::log

#endif
