#ifndef PERDURE_LOG_COMMIT_OVER_POOLS_H
#define PERDURE_LOG_COMMIT_OVER_POOLS_H

#include <cstdint>
#include <deque>

#include "log/durable_commit.h"
#include "log/journal.h"
#include "log/two_phase_commit.h"
#include "persist/fault.h"
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
    for (const Part& part : parts_)
      if (part.heap->mapping().is_logged()) return LogResult::several_pools;
    for (Part& part : parts_) {
      if (const LogResult result = two_phase_commit_.join(*part.heap); result != LogResult::written) return result;
      if (const LogResult result = part.journal.prepare_part(part.writes); result != LogResult::written) return result;
    }
    captured.flush();
    two_phase_commit_.prepare_all([this](auto&& function) {
      for (Part& part : parts_) function(part.journal);
    });
    return LogResult::written;
  }

  void withdraw(sched::ThreadSlot& self) {
    parts_.front().journal.withdraw(self);
    two_phase_commit_.abandon();
    clear();
  }

  template <class ReleaseLocks>
  void commit(std::uint64_t commit_timestamp, sched::ThreadSlot& self, ReleaseLocks&& release_locks) {
    for (Part& part : parts_) Commit::shade_overwritten(part.writes);
    if (persist::is_seeded(persist::Fault::records_skipped)) leave_out_records();
    two_phase_commit_.decide_and_finish([&] {
      for (Part& part : parts_)
        if (part.has_record) part.journal.append_part(part.writes, commit_timestamp);
      Journal::await_all(parts_);  // before the decision goes, and before the data can reach memory, or be read
    });
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
    bool has_record = true;
  };

  Part& part_of(std::uint64_t address) {
    alloc::Heap* const heap = alloc::heap_of(reinterpret_cast<const void*>(address));
    for (Part& part : parts_)
      if (part.heap == heap) return part;
    return parts_.emplace_back(heap);
  }

  /// For the tests of the crash simulator.
  void leave_out_records() {
    for (Part& part : parts_) part.has_record = &part == &parts_.front();
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
