#ifndef PERDURE_ALGORITHMS_REDO_ALGORITHM_H
#define PERDURE_ALGORITHMS_REDO_ALGORITHM_H

#include <cstdint>

#include "algorithms/redo_writes.h"
#include "algorithms/sole_reads.h"
#include "tx/algorithm.h"

namespace perdure::algorithms {

/// What the algorithms with a redo log and without ownership records have in common: reads go through the log.
/// \tparam Derived  has `consistent_read(address)`, which may leave by `abort`, and `reset()`, which forgets what the
/// transaction has read.
template <class Derived, class ModeType>
class RedoAlgorithm {
 public:
  using Mode = ModeType;

  /// Nothing is in the log.
  template <class T>
  T read_unwritten(const T* address) {
    return derived().consistent_read(address);
  }

  template <tx::Memory M, class T>
  T read(const T* address) {
    return writes_.template read<M>(address, [this](const auto* from) {
      if constexpr (!Derived::traits.one_at_a_time)
        if (sole_reads_.are_on()) return sole_reads_.read(from);
      return derived().consistent_read(from);
    });
  }

  /// (tx::ReadsOwn)
  template <tx::Memory M, class T>
  T read_own(const T* address) {
    return writes_.template read_own<M>(address);
  }

  template <tx::Memory M, class T>
  void write(T* address, T value) {
    writes_.template write<M>(address, value);
  }

  /// (tx::RunsAsSoleThread)
  void run_under(sched::SoleThread::Claim claim)
    requires(!Derived::traits.one_at_a_time)
  {
    sole_reads_.run_under(claim);
  }

  /// (tx::LogsBlocks)
  void log_block(const void* block, std::size_t bytes)
    requires(Mode::self_validating_records)
  {
    writes_.log_block(block, bytes);
  }

  void abandon(pool::PrivateMappings& memory) { writes_.abandon(memory); }
  bool is_writing_back() const { return writes_.is_writing_back(); }
  bool has_written_to_pool() const { return writes_.holds_pool_memory(); }
  const void* written_in_pool() const { return writes_.written_in_pool(); }

  void go_in_place() { writes_.go_in_place(); }
  auto& in_place() { return writes_.in_place(); }

  std::uint64_t commit_timestamp() const { return commit_timestamp_; }

 private:
  friend Derived;
  constexpr RedoAlgorithm() = default;

 protected:
  /// \param time  at which everything read was as it was read.
  template <class Captured>
  tx::CommitResult commit_read_only(const Captured& captured, std::uint64_t time) {
    writes_.flush_captured(captured);
    commit_timestamp_ = time;
    forget();
    return tx::CommitResult::read_only;
  }

  /// The log is prepared, and `commit_timestamp_` taken.
  template <class ReleaseLocks>
  tx::CommitResult commit_writes(sched::ThreadSlot& slot, ReleaseLocks&& release_locks) {
    writes_.commit(commit_timestamp_, slot, release_locks);
    forget();
    return tx::CommitResult::committed;
  }

  void give_up(sched::ThreadSlot& slot) {
    writes_.withdraw(slot);
    forget();
  }

  std::uint64_t commit_timestamp_ = 0;
  RedoWrites<Mode> writes_;
  SoleReads sole_reads_;  // never on where one transaction runs at a time

 private:
  Derived& derived() { return static_cast<Derived&>(*this); }

  void forget() {
    derived().reset();
    writes_.clear();
  }
};

}  // namespace perdure::algorithms

#endif
