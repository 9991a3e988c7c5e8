#ifndef PERDURE_ALGORITHMS_OREC_REDO_H
#define PERDURE_ALGORITHMS_OREC_REDO_H

#include <cstdint>
#include <type_traits>

#include "algorithms/hardware_body.h"
#include "algorithms/mode.h"
#include "algorithms/orec_protocol.h"
#include "algorithms/redo_writes.h"
#include "algorithms/sole_reads.h"
#include "htm/this_processor.h"
#include "persist/step.h"
#include "tx/abort.h"
#include "tx/algorithm.h"

namespace perdure::algorithms {

/// Ownership records with a redo log: all but the moment at which locks are taken.
template <class ModeType>
class OrecRedo {
 public:
  using Mode = ModeType;
  static constexpr tx::Traits traits{.needs_quiescence = true, .has_doomed_readers = true, .writes_in_place = false};

  std::uint64_t begin(sched::ThreadSlot& slot) {
    const std::uint64_t start = orecs_.begin(slot);
    if constexpr (Mode::runs_in_hardware) begin_in_hardware();
    return start;
  }
  bool extend() { return is_in_hardware() ? is_unharmed() : orecs_.extend(); }
  /// (tx::RunsAsSoleThread)
  void run_under(sched::SoleThread::Claim claim) {
    leave_hardware();  // nothing has been read
    sole_reads_.run_under(claim);
  }

  /// (tx::ReadsOwn)
  template <tx::Memory M, class T>
  T read_own(const T* address) {
    return writes_.template read_own<M>(address);
  }

  void roll_back(sched::ThreadSlot& slot) {
    leave_hardware();
    orecs_.unlock_unchanged();
    writes_.withdraw(slot);
    reset();
  }

  /// (tx::LogsBlocks)
  void log_block(const void* block, std::size_t bytes)
    requires(Mode::self_validating_records)
  {
    writes_.log_block(block, bytes);
  }

  void abandon(pool::PrivateMappings& memory) {
    writes_.abandon(memory);
    orecs_.abandon();
  }
  static void forget_threads() {}
  bool is_writing_back() const { return writes_.is_writing_back(); }
  bool has_written_to_pool() const { return writes_.holds_pool_memory(); }
  const void* written_in_pool() const { return writes_.written_in_pool(); }
  /// A sole thread notes no reads, nor does hardware.
  std::uint64_t newest_read() const { return are_reads_noted() ? orecs_.newest_read() : sync::any_time; }

  /// Nobody else runs, so locks that are held say nothing.
  void go_in_place() {
    if (!leave_hardware()) tx::abort(tx::CommitResult::validation);
    orecs_.unlock_unchanged();
    writes_.go_in_place();
  }
  auto& in_place() { return writes_.in_place(); }

  void note_reads(sync::Filter& filter) const {
    if (!are_reads_noted()) return filter.add_everything();
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
    if (is_in_hardware()) {
      if (!leave_hardware()) return tx::CommitResult::validation;
      orecs_.start_now();
    }
    writes_.flush_captured(captured);
    orecs_.commit_read_only();
    note_commit();
    reset();
    return tx::CommitResult::read_only;
  }

  /// All locks of the write set are held, or nobody asks for them. (The sole transaction has noted no reads: they are
  /// valid.)
  template <class Captured>
  tx::CommitResult commit_locked(sched::ThreadSlot& slot, const Captured& captured) {
    writes_.announce(slot, captured, sync::commit_clock.now());
    if (!orecs_.order_commit<!Mode::runs_in_hardware>()) return tx::CommitResult::validation;
    if (const auto failure = writes_.prepare(captured); failure != tx::CommitResult::committed) return failure;
    writes_.commit(orecs_.commit_timestamp(), slot, [this] { orecs_.unlock(); });
    note_commit();
    reset();
    return tx::CommitResult::committed;
  }

  /// A word that is to be added to: read when nobody else can write it, so no commit comes between.
  std::uint64_t lock_and_read(std::uint64_t* word) {
    std::uint64_t value = 0;
    persistence::in_order<persistence::Step::locked_before_added>([&] { orecs_.lock_patiently(word); },
                                                                  [&] { value = read_own<tx::Memory::pool>(word); });
    return value;
  }

  bool is_in_hardware() const {
    if constexpr (Mode::runs_in_hardware) return body_.is_on();
    return false;
  }
  bool are_reads_noted() const { return !sole_reads_.are_on() && !is_in_hardware(); }

  OrecProtocol orecs_;
  RedoWrites<Mode> writes_;
  /// When they are on, nobody asks for a lock, and nothing is locked. Orecs keep the versions that they have: these are
  /// not newer than the start of any transaction that can read what this one writes, so they vouch for that, too.
  SoleReads sole_reads_;
  [[no_unique_address]] std::conditional_t<Mode::runs_in_hardware, HardwareBody<htm::ThisProcessor>, SoftwareBody>
      body_;

 private:
  void reset() {
    orecs_.reset();
    writes_.clear();
  }

  void note_commit() {
    if constexpr (Mode::runs_in_hardware) body_.note_commit();
  }

  void begin_in_hardware() {
    leave_hardware();  // it begins again, and has read nothing
    if (!sole_reads_.are_on()) body_.begin();
  }
  /// It goes on in software, or ends. \returns whether what it has read is of one moment.
  bool leave_hardware() {
    if constexpr (Mode::runs_in_hardware) return !body_.is_on() || body_.end();
    return true;
  }
  bool is_unharmed() const {
    if constexpr (Mode::runs_in_hardware) return body_.is_unharmed();
    return true;
  }
};

}  // namespace perdure::algorithms

#endif
