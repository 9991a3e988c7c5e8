#ifndef PERDURE_ALGORITHMS_OREC_EAGER_H
#define PERDURE_ALGORITHMS_OREC_EAGER_H

#include "algorithms/mode.h"
#include "algorithms/orec_protocol.h"
#include "algorithms/sole_reads.h"
#include "algorithms/undo_writes.h"
#include "persist/step.h"
#include "tx/algorithm.h"

namespace perdure::algorithms {

/// Ownership records, updates in place, undo log, locks taken at the first write. (TinySTM write-through, Felber et
/// al., PPoPP'08; PACT'19, Listing 1, right column.)
template <class ModeType>
class OrecEager {
 public:
  using Mode = ModeType;
  static constexpr tx::Traits traits{.needs_quiescence = true, .has_doomed_readers = true, .writes_in_place = true};

  constexpr OrecEager() = default;

  std::uint64_t begin(sched::ThreadSlot& slot) { return orecs_.begin(slot); }

  template <class T>
  T read_unwritten(const T* address) {
    return orecs_.consistent_read_unwritten(address);
  }

  template <tx::Memory, class T>
  T read(const T* address) {
    if (sole_reads_.are_on()) return sole_reads_.read(address);
    return orecs_.owns(address) ? log::load_shared(address) : orecs_.consistent_read(address);
  }

  template <tx::Memory>
  bool read_stripe(void* to, const void* from, std::size_t bytes) {
    if (sole_reads_.are_on()) return sole_reads_.copy(to, from, bytes), true;
    if (orecs_.owns(from)) return false;
    orecs_.consistent_copy(to, from, bytes);
    return true;
  }

  template <tx::Memory M, class T>
  void write(T* address, T value) {
    orecs_.lock_or_abort(writes_.template chunk_of<M>(address), writes_.template chunk_bytes<M>);
    // Behind the locks, which may be newer than what was read: nothing else vouches for that.
    if (sole_reads_.are_on()) sole_reads_.require_claim();
    writes_.template write<M>(address, value);
  }

  /// (tx::RunsAsSoleThread) What is written is locked all the same: others may come before it is committed or undone,
  /// and nobody waits for that.
  void run_under(sched::SoleThread::Claim claim) { sole_reads_.run_under(claim); }

  bool extend() { return orecs_.extend(); }

  template <class Captured>
  tx::CommitResult commit(sched::ThreadSlot&, const Captured& captured) {
    const bool read_only = writes_.empty();
    if (read_only)
      orecs_.commit_read_only();
    else if (!orecs_.order_commit<true>())
      return tx::CommitResult::validation;
    // Locks, behind the durable end of the undo record (trap 5).
    persistence::in_order<persistence::Step::undo_before_unlock>([&] { writes_.commit(captured); },
                                                                 [&] { orecs_.unlock(); });
    orecs_.reset();
    return read_only ? tx::CommitResult::read_only : tx::CommitResult::committed;
  }

  void roll_back(sched::ThreadSlot&) {
    writes_.roll_back();
    orecs_.unlock_restored();
    orecs_.reset();
  }

  void abandon(pool::PrivateMappings& memory) {
    writes_.abandon(memory);
    orecs_.abandon();
  }
  static void forget_threads() {}

  void note_reads(sync::Filter& filter) const {
    if (sole_reads_.are_on()) return filter.add_everything();
    orecs_.note_reads(filter);
  }
  void note_writes(sync::Filter& filter) const { orecs_.note_locked(filter); }

  std::uint64_t commit_timestamp() const { return orecs_.commit_timestamp(); }

  void release() {
    orecs_.release();
    writes_.release();
  }

 private:
  OrecProtocol orecs_;
  UndoWrites<Mode> writes_;
  SoleReads sole_reads_;
};

}  // namespace perdure::algorithms

#endif
