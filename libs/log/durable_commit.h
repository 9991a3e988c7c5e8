#ifndef PERDURE_LOG_DURABLE_COMMIT_H
#define PERDURE_LOG_DURABLE_COMMIT_H

#include "alloc/shading.h"
#include "log/announcement.h"
#include "log/disk_commit.h"
#include "log/journal.h"
#include "log/write_set.h"
#include "persist/domain.h"
#include "persist/lines.h"
#include "persist/step.h"

namespace perdure::log {

/// The commit of a lazy algorithm, through a journal.
template <class Mode>
class DurableCommit {
 public:
  using Writes = WriteSet<typename Mode::PoolEntry>;

  /// For a transaction that wrote nothing but the blocks it allocated: no log, but what it wrote must be durable, since
  /// a later transaction may link the blocks in without touching them.
  template <class Captured>
  static void flush_captured(const Captured& captured) {
    if (captured.empty()) return;
    if (disk::has_logs()) [[unlikely]]
      note_blocks(captured);
    captured.flush();
    persistence::fence();
  }

  /// What follows `prepare`. `release_locks` makes the new values readable by others.
  ///
  /// Data is written back when the record is durable: whatever of it reaches memory by eviction, the record is there to
  /// complete it. (With `when_appended` the journal sees to it that nothing of it does.)
  template <Journal J, class ReleaseLocks>
  static void run(J& journal, const Writes& writes, std::uint64_t commit_timestamp, sched::ThreadSlot& self,
                  ReleaseLocks&& release_locks) {
    if constexpr (requires { journal.is_on_disk(); })
      if (journal.is_on_disk()) [[unlikely]]
        return run_on_disk(journal, writes, self, release_locks);
    shade_overwritten(writes);
    [[maybe_unused]] typename J::Position position;
    persistence::in_order<persistence::Step::commit>(
        [&] {
          position = journal.append(writes, commit_timestamp);
          if constexpr (J::visible != Visible::when_appended) journal.await(position);
        },
        [&] {
          for (const auto& entry : writes) {
            entry.write_back();
            J::written_back(entry);
          }
        },
        [&] {
          if constexpr (J::visible != Visible::when_retired) release_locks();
        },
        [&] { journal.complete(writes, commit_timestamp); }, [&] { journal.retire(commit_timestamp, self); });
    if constexpr (J::visible == Visible::when_retired) release_locks();
    if constexpr (J::visible == Visible::when_appended) journal.await(position);
  }

  /// Before the first write-back, by the owner of what it overwrites.
  static void shade_overwritten(const Writes& writes) {
    if constexpr (Mode::shades)
      if (alloc::is_marking()) [[unlikely]]
        shade_each(writes);
  }

  static void flush_data(const Writes& writes) {
    persistence::StoredLines<> lines;
    for (const auto& entry : writes)
      if constexpr (Mode::coalesced_flushes)
        lines.flush(entry.address);
      else
        persistence::flush_data(entry.address);
  }

 private:
  /// What becomes durable is a prefix of the log, so others may read what is not durable: TM_END waits for that.
  template <Journal J, class ReleaseLocks>
  [[gnu::noinline, gnu::cold]] static void run_on_disk(J& journal, const Writes& writes, sched::ThreadSlot& self,
                                                       ReleaseLocks& release_locks) {
    shade_overwritten(writes);
    DiskCommit& commit = journal.disk_commit();
    commit.append();
    for (const auto& entry : writes) entry.write_back();
    commit.complete(writes);
    release_locks();
    lift_announcement(self);
  }

  [[gnu::noinline, gnu::cold]] static void shade_each(const Writes& writes) {
    for (const auto& entry : writes) alloc::shade(reinterpret_cast<const void*>(entry.address), Writes::chunk_bytes);
  }
};

}  // namespace perdure::log

#endif
