#ifndef PERDURE_ALGORITHMS_OREC_REDO_H
#define PERDURE_ALGORITHMS_OREC_REDO_H

#include <cstdint>

#include "algorithms/mode.h"
#include "algorithms/orec_protocol.h"
#include "algorithms/redo_writes.h"
#include "algorithms/sole_reads.h"
#include "tx/algorithm.h"

namespace perdure::algorithms {

/// Ownership records with a redo log: all but the moment at which locks are taken.
template <class ModeType>
class OrecRedo {
 public:
  using Mode = ModeType;
  static constexpr tx::Traits traits{.needs_quiescence = true, .has_doomed_readers = true, .writes_in_place = false};

  std::uint64_t begin(sched::ThreadSlot& slot) { return orecs_.begin(slot); }
  bool extend() { return orecs_.extend(); }
  /// Nothing is in the log. (tx::RunsAsSoleThread)
  template <class T>
  T read_alone(const T* address) const {
    return sole_reads_.read(address);
  }
  void run_under(sched::SoleThread::Claim claim) { sole_reads_.run_under(claim); }

  void roll_back(sched::ThreadSlot& slot) {
    orecs_.unlock_unchanged();
    writes_.withdraw(slot);
    reset();
  }

  void abandon(pool::PrivateMappings& memory) {
    writes_.abandon(memory);
    orecs_.abandon();
  }
  static void forget_threads() {}
  bool is_writing_back() const { return writes_.is_writing_back(); }
  bool has_written_to_pool() const { return writes_.holds_pool_memory(); }
  const void* written_in_pool() const { return writes_.written_in_pool(); }
  /// A sole thread notes no reads.
  std::uint64_t newest_read() const { return sole_reads_.are_on() ? sync::any_time : orecs_.newest_read(); }

  /// Nobody else runs, so locks that are held say nothing.
  void go_in_place() {
    orecs_.unlock_unchanged();
    writes_.go_in_place();
  }
  auto& in_place() { return writes_.in_place(); }

  void note_reads(sync::Filter& filter) const {
    if (sole_reads_.are_on()) return filter.add_everything();  // it has not noted them
    orecs_.note_reads(filter);
  }
  void note_writes(sync::Filter& filter) const {
    writes_.for_each_chunk([&](auto chunk, auto bytes) {
      OrecProtocol::note(filter, chunk, bytes);
      return true;
    });
  }

  std::uint64_t commit_timestamp() const { return orecs_.commit_timestamp(); }

  void release() {
    orecs_.release();
    writes_.release();
  }

 protected:
  constexpr OrecRedo() = default;

  template <class Captured>
  tx::CommitResult commit_read_only(const Captured& captured) {
    writes_.flush_captured(captured);
    orecs_.commit_read_only();
    reset();
    return tx::CommitResult::read_only;
  }

  /// All locks of the write set are held, or nobody asks for them. (The sole transaction has noted no reads: they are
  /// valid.)
  template <class Captured>
  tx::CommitResult commit_locked(sched::ThreadSlot& slot, const Captured& captured) {
    writes_.announce(slot, captured, sync::commit_clock.now());
    if (!orecs_.order_commit()) return tx::CommitResult::validation;
    if (const auto failure = writes_.prepare(captured); failure != tx::CommitResult::committed) return failure;
    writes_.commit(orecs_.commit_timestamp(), slot, [this] { orecs_.unlock(); });
    reset();
    return tx::CommitResult::committed;
  }

  OrecProtocol orecs_;
  RedoWrites<Mode> writes_;
  /// When they are on, nobody asks for a lock, and nothing is locked. Orecs keep the versions that they have: these are
  /// not newer than the start of any transaction that can read what this one writes, so they vouch for that, too.
  SoleReads sole_reads_;

 private:
  void reset() {
    orecs_.reset();
    writes_.clear();
  }
};

}  // namespace perdure::algorithms

#endif
