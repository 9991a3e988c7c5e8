#ifndef PERDURE_TX_ALGORITHM_H
#define PERDURE_TX_ALGORITHM_H

#include <concepts>
#include <cstdint>

#include "log/turn_state.h"
#include "pool/private_mappings.h"
#include "sched/sole_thread.h"
#include "sched/thread_registry.h"
#include "sync/filter.h"
#include "tx/captured.h"

namespace perdure::tx {

/// Which memory an access is to. Pool memory is durable in persistent modes; other memory never is.
enum class Memory { pool, other };

/// How an attempt ended.
enum class CommitResult : std::uint8_t {
  committed,
  read_only,       ///< committed; the algorithm had nothing to write
  locked,          ///< conflict: a location is locked by another transaction
  validation,      ///< conflict: a location read has changed
  not_alone,       ///< it has to be alone, and another transaction is about to be: it runs again, alone
  pool_full,       ///< no room for the log
  read_only_pool,  ///< the transaction wrote to a pool that is open for reading
  decisions_full,  ///< it wrote to several pools, and there is no place left where that could be decided
  pool_of_parent,  ///< this process was forked, and the transaction used a pool of its parent
  pools_on_disks,  ///< it wrote to several pools, of which some have a log beside them and some have not
  not_durable,     ///< the disk has failed beneath the pool
  several_pools,   ///< it wrote to several pools, and the library makes one durable at a time
  retry,           ///< it waits until something that it has read changes
  program_ends,    ///< it has called what ends the program (tx/failure.h)
};

/// Conflicts are tried again, failures are not.
constexpr bool is_conflict(CommitResult result) {
  return result == CommitResult::locked || result == CommitResult::validation || result == CommitResult::not_alone;
}
constexpr bool is_failure(CommitResult result) {
  return result == CommitResult::pool_full || result == CommitResult::read_only_pool ||
         result == CommitResult::decisions_full || result == CommitResult::pool_of_parent ||
         result == CommitResult::pools_on_disks || result == CommitResult::not_durable ||
         result == CommitResult::several_pools || result == CommitResult::program_ends;
}

/// Which accesses go past the algorithm, straight to their addresses. All may where the caller's thread runs its own
/// body and pools are mapped once. None of these may where another thread can run the body, or an address stands for a
/// place in one of several replicas. (Frames of the body itself, and exceptions in flight, are the running thread's own
/// everywhere.)
struct Bypass {
  /// To the last block that the transaction has allocated, where the mode tracks it.
  bool new_blocks = true;
  /// To frames of the body's callers, where the mode takes the stack to be private.
  bool callers_frames = true;
};

/// What an algorithm asks of the transaction around it.
struct Traits {
  /// Memory that a commit made private may be used directly only after running transactions have ended (PACT'19, II.C).
  bool needs_quiescence;
  /// A transaction may run on for a while after a conflicting one has committed, and read what that one freed.
  bool has_doomed_readers;
  /// Writes go to memory at once, so an abort must restore them before blocks are given back.
  bool writes_in_place;
  /// A read is a plain load of the address: transactions run the write-only flavour of clones, where there is one.
  bool reads_are_loads = false;
  /// Who has begun is alone until it ends. Others publish that they run, sequentially consistently, when they begin.
  bool one_at_a_time = false;
  Bypass bypass{};
};

/// Concurrency control, and nothing else: no flush instruction, no file, no allocation, no nesting. Addresses are
/// naturally aligned and T is an unsigned integer of up to 8 bytes.
///
/// - `begin(slot)`  \returns the time the transaction starts at: it sees every commit up to that time
/// - `read`, `write`  may leave by `abort` (tx/abort.h)
/// - `read_unwritten(address)`  optional: `read` of pool memory in a transaction that has written nothing yet
/// - `knows(address)`, `read_known(address)`  optional: whether that is a load from a known place; otherwise
///   `read_unwritten` is called
/// - `read_stripe(to, from, bytes)`  optional: reads some bytes of a stripe of pool memory, if it can (see below)
/// - `commit(slot, captured)`  ends the transaction, unless it returns a conflict or a failure: then `roll_back` comes
/// - `roll_back(slot)`  undoes writes and gives up locks
/// - `go_in_place()`  the transaction is alone, and other code is to see what it writes. Deferred updates are made now,
///   later ones by `in_place().write` (algorithms/serial_writes.h); elsewhere optional
/// - `commit_timestamp()`  after a commit: its place in the commit order; blocks it freed may be reused when all that
///   started before have ended
/// - `abandon(memory)`  in a forked child: the thread is not there. Undoes or completes what it had half done, where
///   `memory` allows it, and gives up its locks. It may have been anywhere
/// - `Runner`  optional: what runs its operations instead of tx/transaction.h (tx/runner.h)
/// - `forget_threads()`  the same for what threads share, after all have been abandoned
template <class A>
concept Algorithm = requires(A algorithm, sched::ThreadSlot& slot, std::uint64_t* address, std::uint64_t value,
                             const Captured& captured, pool::PrivateMappings& memory) {
  typename A::Mode;
  { A::traits } -> std::convertible_to<Traits>;
  { algorithm.begin(slot) } -> std::same_as<std::uint64_t>;
  { algorithm.template read<Memory::pool>(address) } -> std::same_as<std::uint64_t>;
  { algorithm.template write<Memory::other>(address, value) } -> std::same_as<void>;
  { algorithm.commit(slot, captured) } -> std::same_as<CommitResult>;
  { algorithm.roll_back(slot) } -> std::same_as<void>;
  { algorithm.commit_timestamp() } -> std::same_as<std::uint64_t>;
  { algorithm.release() } -> std::same_as<void>;
  { algorithm.abandon(memory) } -> std::same_as<void>;
  { A::forget_threads() } -> std::same_as<void>;
};

/// Algorithms that can read bytes of one stripe (sync::stripe_bytes) at once. `read_stripe` returns false where the
/// bytes must be read one by one, because the transaction has written there.
template <class A>
concept ReadsStripes = requires(A algorithm, void* to, const void* from, std::size_t bytes) {
  { algorithm.template read_stripe<Memory::pool>(to, from, bytes) } -> std::same_as<bool>;
};

/// Algorithms that read faster as long as the transaction has written nothing: to no memory, and it has no new block.
template <class A>
concept ReadsUnwritten = requires(A algorithm, const std::uint64_t* address) {
  { algorithm.read_unwritten(address) } -> std::same_as<std::uint64_t>;
};

/// Algorithms that remember where such a transaction reads: what they know of is a load away.
template <class A>
concept KnowsWhereItReads = requires(const A algorithm, const std::uint64_t* address) {
  { algorithm.knows(address) } -> std::same_as<bool>;
  { algorithm.read_known(address) } -> std::same_as<std::uint64_t>;
};

/// Algorithms that may have put off a write to a block that the transaction has allocated. Reading it cannot fail.
template <class A>
concept ReadsOwn = requires(A algorithm, const std::uint64_t* address) {
  { algorithm.template read_own<Memory::pool>(address) } -> std::same_as<std::uint64_t>;
};

/// Algorithms that can add to a word of pool memory without a conflict with others that do: it is read when nobody else
/// can write it any more. May leave by `abort`. \returns false where it must be read and written.
template <class A>
concept AddsWithoutConflict = requires(A algorithm, std::uint64_t* word) {
  { algorithm.add(word, std::uint64_t{}) } -> std::same_as<bool>;
};

/// Algorithms that can leave out what isolates a transaction, while its thread claims that no other runs
/// (sched/sole_thread.h): reads are loads behind the write set, which abort when the claim is gone, and nothing is
/// locked. Commits take their place in the order and are as durable as others. `run_under(claim)`: from the beginning
/// of a transaction on, until it is called again. `note_reads` says then that everything may have been read.
template <class A>
concept RunsAsSoleThread = requires(A algorithm, sched::SoleThread::Claim claim) {
  { algorithm.run_under(claim) } -> std::same_as<void>;
};

/// Algorithms that can log all that a block holds: what the transaction has written to it, or else what is in memory.
/// Only where records vouch for themselves: there the log is replayed in the order of commits.
template <class A>
concept LogsBlocks = requires(A algorithm, const void* block, std::size_t bytes) {
  { algorithm.log_block(block, bytes) } -> std::same_as<void>;
};

/// Algorithms that write memory only at commit. `has_written_to_pool()`: what they will write then;
/// `is_writing_back()`: they are at it.
template <class A>
concept WritesAtCommit = requires(const A algorithm) {
  { algorithm.has_written_to_pool() } -> std::same_as<bool>;
  { algorithm.is_writing_back() } -> std::same_as<bool>;
};

/// Algorithms that have to know which memory is a transaction's own. May leave by `abort`.
template <class A>
concept NotesNewBlocks = requires(A algorithm, void* block, std::size_t bytes) {
  { algorithm.note_new_block(block, bytes) } -> std::same_as<void>;
};

/// Algorithms whose commits wait for those who read: a transaction must not wait for such a commit to end while that
/// waits for it. Called before it waits to be alone. May leave by `abort`.
template <class A>
concept PreparesToBeAlone = requires(A algorithm) {
  { algorithm.prepare_to_be_alone() } -> std::same_as<void>;
};

/// Algorithms of which one thread at a time makes updates, the rest waiting for its turn: so it can make those of
/// others in its own (tx/combining.h). `has_turn()`: the running transaction has it; `is_turn_taken()`: somebody has;
/// `expects_to_write()`: the thread's next transaction will want it.
template <class A>
concept TakesTurns = requires(const A algorithm) {
  { algorithm.has_turn() } -> std::same_as<bool>;
  { algorithm.expects_to_write() } -> std::same_as<bool>;
  { A::is_turn_taken() } -> std::same_as<bool>;
};

/// Algorithms of which threads make updates side by side, and a turn says which of them counts: so it can have those of
/// others in it, too (tx/helping.h). `is_updating()`: the running transaction has written; `state_of_turn()`: what the
/// turn brings about that it will make, also if it has written nothing; may leave by `abort`. Between transactions:
/// `make_empty_turn(slot, fill_in)`: a turn that writes nothing, if nobody else comes first; `see_turns(slot)`: the
/// next transaction begins after all turns that were decided; `let_others_go_first(slot, is_over)`: it may wait a while
/// before another attempt, but not when `is_over()`.
template <class A>
concept HelpsOthers =
    requires(A algorithm, sched::ThreadSlot& slot, bool (*fill_in)(log::TurnState&), bool (*is_over)()) {
      { algorithm.is_updating() } -> std::same_as<bool>;
      { algorithm.state_of_turn() } -> std::same_as<log::TurnState&>;
      algorithm.make_empty_turn(slot, fill_in);
      algorithm.see_turns(slot);
      algorithm.let_others_go_first(slot, is_over);
    };

/// Algorithms that put operations in order before anybody runs them (tx/queueing.h). `offer_to_queue(offers)`: the next
/// transaction is to be left at its first write to a pool that has copies (`may_be_queued`), and `wanted_slot()` says
/// which that was; `take_batch()`, `give_away_batch()`: a state for what the next turn is to be; `begin_batch(batch,
/// copies_lag, remake)`: the transaction makes it, in a copy for which `remake` has made what it lacked, unless that is
/// copied; `note_block_of_batch`; `note_freed(block, bytes)`: of a transaction that has committed.
template <class A>
concept QueuesOperations =
    HelpsOthers<A> && requires(A algorithm, const log::TurnState& batch, void (*remake)(log::TurnState&), void* block) {
      algorithm.offer_to_queue(true);
      { algorithm.wanted_slot() } -> std::same_as<std::size_t>;
      { A::may_be_queued(std::size_t{}) } -> std::same_as<bool>;
      { algorithm.time() } -> std::same_as<std::uint64_t>;
      { algorithm.take_batch() } -> std::same_as<log::TurnState&>;
      algorithm.give_away_batch();
      { algorithm.begin_batch(batch, false, remake) } -> std::same_as<log::TurnState&>;
      algorithm.note_block_of_batch(block, std::size_t{});
      A::note_freed(block, std::size_t{});
    };

/// Algorithms that know where a transaction has read, and, before its commit, where it will have written: by the same
/// numbers or addresses. A transaction that waits is woken by those only that meet it (tx/waiting.h); without this, by
/// all.
template <class A>
concept KnowsLocations = requires(const A algorithm, sync::Filter& filter) {
  algorithm.note_reads(filter);
  algorithm.note_writes(filter);
};

}  // namespace perdure::tx

#endif
