#ifndef PERDURE_LOG_COMMIT_OVER_POOLS_H
#define PERDURE_LOG_COMMIT_OVER_POOLS_H

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <deque>

#include "log/announcement.h"
#include "log/disk_commit.h"
#include "log/durable_commit.h"
#include "log/journal.h"
#include "log/two_phase_commit.h"
#include "persist/step.h"
#include "pool/window.h"
#include "sched/thread_registry.h"

namespace perdure::log {

/// The commit of a lazy algorithm that has written to several pools: by logs that are prepared, a decision, and then,
/// in each pool, what the mode's journal makes in a transaction over that pool alone. Rare, so it may take its time.
///
/// Every record that counts by itself has the commit timestamp, as in a transaction over one pool, and is retired like
/// any other. So is what recovery replays in the end, whichever of the pools' records a crash has left.
template <class Mode>
class CommitOverPools {
  using Commit = DurableCommit<Mode>;
  using Journal = typename Mode::Journal::InSeveralPools;
  static_assert(JournalPart<Journal>);
  static_assert(Journal::visible != Visible::when_appended, "decided before the locks are released");

 public:
  using Writes = typename Commit::Writes;

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
    for (Part& part : parts_) part.journal.announce(part.writes, self, now);
  }

  /// All that can fail, and the first phase. What fails, or does not commit after all, is taken back by `withdraw`.
  template <class Captured>
  LogResult prepare(const Captured& captured) {
    const auto on_disk =
        std::ranges::count_if(parts_, [](const Part& part) { return part.heap->mapping().is_logged(); });
    is_on_disks_ = on_disk != 0;
    if (is_on_disks_ && static_cast<std::size_t>(on_disk) != parts_.size()) return LogResult::several_pools;
    for (Part& part : parts_) {
      if (const LogResult result = two_phase_commit_.join(*part.heap); result != LogResult::written) return result;
      if (const LogResult result = part.journal.prepare_part(part.writes); result != LogResult::written) return result;
    }
    captured.flush();
    if (is_on_disks_) note_blocks(captured);
    two_phase_commit_.prepare_all([this](auto&& function) {
      for (Part& part : parts_) function(part.journal);
    });
    return is_on_disks_ && !share_fate() ? LogResult::not_durable : LogResult::written;
  }

  void withdraw(sched::ThreadSlot& self) {
    parts_.front().journal.withdraw(self);
    two_phase_commit_.abandon();
    clear();
  }

  template <class ReleaseLocks>
  void commit(std::uint64_t commit_timestamp, sched::ThreadSlot& self, ReleaseLocks&& release_locks) {
    for (Part& part : parts_) Commit::shade_overwritten(part.writes);
    two_phase_commit_.decide_and_finish([&] {
      if (is_on_disks_) return commit_on_disks();
      make_records([&](Part& part) { part.journal.append_part(part.writes, commit_timestamp); });
      Journal::await_all(parts_);  // before the decision goes, and before the data can reach memory, or be read
    });
    if (is_on_disks_) {
      release_locks();
      lift_announcement(self);
      return clear();
    }
    for (Part& part : parts_)
      for (const auto& entry : part.writes) {
        entry.write_back();
        Journal::written_back(entry);
      }
    if constexpr (Journal::visible != Visible::when_retired) release_locks();
    Journal::complete_all(parts_, commit_timestamp);
    Journal::retire_all(parts_, commit_timestamp, self);
    if constexpr (Journal::visible == Visible::when_retired) release_locks();
    clear();
  }

 private:
  /// What the transaction has to do with one pool.
  struct Part {
    explicit Part(alloc::Heap* heap) : heap(heap) {}
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;
    ~Part() {
      journal.release();
      writes.release();
    }

    alloc::Heap* heap;
    Writes writes;
    Journal journal;
    bool has_record = false;
  };

  /// In each pool.
  template <class Make>
  void make_records(Make&& make) {
    const auto make_in = [&](Part& part) {
      make(part);
      part.has_record = true;
    };
    make_in(parts_.front());
    for (std::size_t i = 1; i < parts_.size(); ++i)
      persistence::perform<persistence::Step::further_records>([&] { make_in(parts_[i]); });
  }

  Part& part_of(std::uint64_t address) {
    alloc::Heap* const heap = alloc::heap_of(reinterpret_cast<const void*>(address));
    for (Part& part : parts_)
      if (part.heap == heap) return part;
    return parts_.emplace_back(heap);
  }

  // -- pools on disks: preparations and the decision are changes of the pools like others (persist/durable.h)

  /// A record in each of them.
  void commit_on_disks() {
    if constexpr (requires(Journal journal) { journal.is_on_disk(); }) {
      share_fate();
      make_records([](Part& part) { part.journal.disk_commit().commit_part(*part.journal.disk_log(), part.writes); });
      disk::PoolLog::await_noted();
      share_fate();
    }
  }

  /// When one of the logs is poisoned, all are: what is decided, or not, must stay as it is until they are opened
  /// again.
  /// \returns whether none is.
  bool share_fate() {
    if constexpr (requires(Journal journal) { journal.is_on_disk(); }) {
      const auto is_poisoned = [](Part& part) { return part.journal.disk_log()->is_poisoned(); };
      if (!std::ranges::any_of(parts_, is_poisoned)) return true;
      for (Part& part : parts_) part.journal.disk_log()->poison(EIO);
    }
    return false;
  }

  void clear() {
    parts_.clear();
    two_phase_commit_.leave();
  }

  std::deque<Part> parts_;
  bool is_on_disks_ = false;
  TwoPhaseCommit two_phase_commit_;
};

}  // namespace perdure::log

#endif
