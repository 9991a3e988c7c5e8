#ifndef PERDURE_TX_TRANSACTION_H
#define PERDURE_TX_TRANSACTION_H

#include <cstdint>

#include "log/saved_locals.h"
#include "log/volatile_undo_log.h"
#include "pool/fork.h"
#include "pool/window.h"
#include "sched/hourglass.h"
#include "sched/quiescence.h"
#include "stats/counters.h"
#include "tx/abort.h"
#include "tx/algorithm.h"
#include "tx/beside_disks.h"
#include "tx/captured.h"
#include "tx/combining.h"
#include "tx/counting.h"
#include "tx/exception_state.h"
#include "tx/failure.h"
#include "tx/handlers.h"
#include "tx/helping.h"
#include "tx/leaving_exceptions.h"
#include "tx/memory_manager.h"
#include "tx/nested_parts.h"
#include "tx/privatisation.h"
#include "tx/progress.h"
#include "tx/queueing.h"
#include "tx/reads.h"
#include "tx/runner.h"
#include "tx/solitude.h"
#include "tx/special_accesses.h"
#include "tx/stack.h"
#include "tx/static_initialisation.h"
#include "tx/thread_context.h"
#include "tx/threads.h"
#include "tx/waiting.h"
#include "tx/waits_to_begin.h"

namespace perdure::tx {

/// The runner that is the caller's own thread (tx/runner.h): what every transaction does, whatever its algorithm.
/// Nesting, checkpoint, progress, captured blocks, frees, and memory that only this thread can reach.
template <Algorithm A>
class Transaction : BesideDisks<Transaction<A>>,
                    Reads<Transaction<A>, A>,
                    SpecialAccesses<Transaction<A>, A>,
                    LeavingExceptions<Transaction<A>, A>,
                    public NestedParts<Transaction<A>>,
                    public Waiting<Transaction<A>, A>,
                    public Counting<Transaction<A>, A>,
                    public Combining<Transaction<A>, A>,
                    WaitsToBegin<Transaction<A>, A> {
  using Mode = typename A::Mode;
  using OwnThreads = Threads<Transaction, A>;
  static constexpr bool new_blocks_are_direct = Mode::last_allocation_tracking && A::traits.bypass.new_blocks;
  static constexpr bool stack_is_direct = Mode::private_stack && A::traits.bypass.callers_frames;
  friend OwnThreads;
  friend BesideDisks<Transaction>;
  friend Reads<Transaction, A>;
  friend SpecialAccesses<Transaction, A>;
  friend LeavingExceptions<Transaction, A>;
  friend NestedParts<Transaction>;
  friend Waiting<Transaction, A>;
  friend Counting<Transaction, A>;
  friend Combining<Transaction, A>;
  friend WaitsToBegin<Transaction, A>;

 public:
  constexpr Transaction() = default;

  /// Runs the operation until it commits, or lets an exception through.
  void run(Operation operation) {
    if (is_running_) [[unlikely]]
      return run_nested(operation);
    run_outermost<&Transaction::run_joined>(operation);
  }

  /// The same for a transaction that runs alone, and once (docs/serial.md).
  void run_serially(Operation operation) {
    if (is_running_) {
      this->become_serial();
      return run_nested(operation);
    }
    run_outermost<&Transaction::run_alone>(operation);
  }

  using SpecialAccesses<Transaction, A>::become_serial;
  bool is_running() const { return is_running_; }
  bool is_serial() const { return this->serial_.is_on(); }

  using Reads<Transaction, A>::read;

  /// Reads bytes that lie in one stripe, if that can be done at once.
  bool read_stripe(void* to, const void* from, std::size_t bytes) {
    // Of the last block allocated the orecs say nothing, or that it is free: no harm.
    if constexpr (ReadsStripes<A>)
      return pool::in_window(from) && algorithm_.template read_stripe<Memory::pool>(to, from, bytes);
    return false;
  }

  template <class T>
  void write(T* address, T value) {
    memory_.will_write();
    if (!pool::in_window(address)) [[unlikely]]
      return write_outside(address, value);
    const bool is_direct = is_directly_accessible(address);  // to a serial one, and in a nested part, everything is
    if ((is_direct || !new_blocks_are_direct) && this->is_special()) [[unlikely]]
      return this->template write_specially<Memory::pool>(address, value);
    if (is_direct) {
      *address = value;
      return;
    }
    algorithm_.template write<Memory::pool>(address, value);
  }

  /// Whether [address, address + bytes) needs no instrumentation at all: it lies in the last block allocated.
  bool is_captured(const void* address, std::size_t bytes) const {
    if constexpr (!new_blocks_are_direct) return false;
    return memory_.captured().is_in_last(address, bytes) && !this->reads_by_algorithm();
  }
  bool may_write_directly(const void* address, std::size_t bytes) const {
    return is_captured(address, bytes) && !this->is_special();
  }

  /// The body is about to write directly to a local of the function that runs it. In a nested transaction that is the
  /// outer one's own, and dies with it.
  void save_local(void* local, std::size_t bytes) {
    if (is_in_own_frame(local)) return;
    saved_locals_.save(local, bytes);
  }

  void* allocate(std::size_t bytes, std::size_t alignment) {
    if (handlers_.are_being_copied()) [[unlikely]]
      return handlers_.allocate(exceptions_, bytes, alignment);
    if (this->is_in_batch()) return this->allocate_in_batch(bytes, alignment);
    return this->note_new_block(memory_.allocate(bytes, alignment), bytes);
  }

  MemoryManager<A>& memory() { return memory_; }

  /// Whether what lies there is gone when the transaction aborts: in its own frames, or in an exception that it made.
  bool is_own(const void* address) const { return exceptions_.is_in_object(address) || is_in_own_frame(address); }

  ExceptionState& exceptions() { return exceptions_; }
  Handlers& handlers() { return handlers_; }

  /// The thread ends.
  void release() {
    solitude_.leave(algorithm_, context_.slot());
    memory_.release();
    algorithm_.release();
    callers_frames_.release();
    saved_locals_.release();
    exceptions_.release();
    handlers_.release();
    this->release_parts();
    this->release_additions();
    this->release_announced();
    this->release_waiting();
  }

 private:
  /// Nesting is flat.
  void run_nested(Operation operation) {
    this->require_nestable();
    operation();
  }

  /// The first attempt was aborted; or it has committed, and there is something to be done after it.
  [[gnu::noinline]] void run_again(Operation operation) {
    while (!has_committed_) {
      if (static_initialisation.is_awaited()) {
        progress_.release_turn();
        static_initialisation.wait();
      }
      if (this->is_done_by_other(operation)) return progress_.release_turn();
      progress_.wait_for_turn();
      if (attempt_again(operation)) return progress_.release_turn();
    }
    this->end_with_handlers();
  }

  template <class T>
  bool is_directly_accessible(const T* address) const {
    if constexpr (!new_blocks_are_direct) return false;
    return memory_.captured().is_in_last(address);
  }

  template <class T>
  [[gnu::noinline]] void write_outside(T* address, T value) {
    if (this->is_special() && !this->needs_no_undo(address)) [[unlikely]]
      return this->template write_specially<Memory::other>(address, value);
    write_outside_as_ever(address, value);
  }

  template <class T>
  [[gnu::always_inline]] void write_outside_as_ever(T* address, T value) {
    if (!is_private(address)) {
      if (!stack_.contains(checkpoint.stack_pointer, address)) announce_other_memory();
      return algorithm_.template write<Memory::other>(address, value);
    }
    if (!is_in_own_frame(address) && is_in_callers_frame(address)) callers_frames_.save(address);
    *address = value;
  }

  /// Of an operation that others run, too, these are not.
  bool is_in_callers_frame(const void* address) const {
    return stack_is_direct && !this->is_in_batch() && stack_.contains(checkpoint.stack_pointer, address);
  }
  static bool is_in_own_frame(const void* address) { return is_in_frame_since(checkpoint.stack_pointer, address); }

  /// Frames below the checkpoint are the transaction's own and die with it. Those above belong to its callers, who may
  /// have shown them to other threads; in the ideal model nobody has.
  bool is_private(const void* address) const {
    if (is_in_own_frame(address) || is_in_callers_frame(address)) return true;
    return exceptions_.is_in_object(address) || (is_directly_accessible(address) && !this->reads_by_algorithm());
  }

  template <void (Transaction::*run_joined)(Operation)>
  void run_outermost(Operation operation) {
    if (!context_.is_joined()) [[unlikely]] {
      if (pool::is_forked_child()) return OwnThreads::template run_in_forked_child<run_joined>(*this, operation);
      OwnThreads::join(*this);
    }
    if (!stack_.contains(stack_pointer())) [[unlikely]]
      require_volatile_stack();
    (this->*run_joined)(operation);
  }

  [[gnu::always_inline]] void run_joined(Operation operation) {
    progress_.begin();
    if (!attempt(operation)) [[unlikely]]
      run_again(operation);
  }

  void run_alone(Operation operation) {
    if constexpr (!A::traits.one_at_a_time) progress_.take_turn_to_be_alone();
    while (!this->attempt_alone(operation) && !has_committed_) progress_.wait_for_turn();
    if (has_committed_) this->end_with_handlers();
  }

  [[gnu::noinline]] bool attempt_again(Operation operation) {
    return progress_.must_be_alone() ? this->attempt_alone(operation) : attempt(operation);
  }

  /// A part of perdure_run up to the commit: each frame would cost a dozen instructions. There is one copy of the
  /// commit, so that the algorithm's is a part of it. \returns whether it has committed.
  [[gnu::always_inline]] bool attempt(Operation operation) {
    begin();
    return run_body(operation) && commit();
  }

  void begin() {
    exceptions_.begin();
    if constexpr (A::traits.one_at_a_time)
      if (!progress_.has_turn()) sched::hourglass.wait_until_clear();
    algorithm_.begin(context_.slot());
    if (!A::traits.one_at_a_time && (sched::hourglass.is_turned() || solitude_.has_changed())) [[unlikely]]
      this->begin_when_clear();
    memory_.begin(solitude_.count_beginning(algorithm_, context_.slot()));
    is_running_ = true;
  }

  /// \returns whether the body returned. An exception rolls the transaction back and goes on to the caller.
  [[gnu::always_inline]] bool run_body(Operation operation) {
    int result = 0;
    try {
      result = perdure_call_with_checkpoint(&checkpoint, operation.body, operation.closure);
    } catch (...) {
      this->roll_back_before_exception();
      exceptions_.end();
      if (this->withdraw()) return false;
      progress_.release_turn();
      handlers_.run_after_abort();
      throw;
    }
    if (result == 0) [[likely]]
      result = this->run_others();
    if (result == 0) [[likely]]
      return true;
    if (result == has_handlers) result = this->add_all();
    if (result == has_handlers) {
      if (const int own = this->settle_own(); own > 0) {
        result = own;
      } else {
        has_committed_ = commit();
        return false;
      }
    }
    exceptions_.abandon();
    give_up(reason_of(result));
    return false;
  }

  /// Rolls back. A conflict is tried again; a failure that stays one is thrown to the caller.
  [[gnu::noinline]] void give_up(CommitResult reason) {
    exceptions_.end();
    if (reason == CommitResult::retry) return this->wait_for_change();
    if (is_conflict(reason)) {
      if (reason == CommitResult::not_alone) progress_.ask_to_be_alone();
      roll_back(reason == CommitResult::validation ? stats::AbortReason::validation : stats::AbortReason::locked);
      return handlers_.forget();
    }
    const bool perhaps_there_is_room_now =
        !this->serial_.is_on() && reason == CommitResult::pool_full && memory_.reclaim();
    roll_back(stats::AbortReason::exception);
    if (perhaps_there_is_room_now || this->withdraw()) return handlers_.forget();
    progress_.release_turn();
    handlers_.run_after_abort();
    throw_failure(reason);
  }

  [[gnu::noinline]] bool commit() {
    if (are_beside_disks<A>() && !this->prepare_beside_disks()) [[unlikely]]
      return give_up(CommitResult::not_durable), false;
    const Captured* captured = &memory_.log_reused(algorithm_);
    if (this->commits_specially()) [[unlikely]]
      captured = &this->begin_special_commit(*captured);
    const CommitResult result =
        solitude_.commit(algorithm_, context_.slot(), *captured, memory_.has_only_read_as_sole());
    switch (result) {
      [[likely]] case CommitResult::committed:
        stats::counters.commits.add(1);
        break;
      case CommitResult::read_only:
        (memory_.has_changes() || this->serial_.is_on() ? stats::counters.commits : stats::counters.read_only_commits)
            .add(1);
        break;
      default:
        give_up(result);
        return false;
    }
    finish(result);
    if ((A::traits.writes_in_place || result == CommitResult::read_only) && this->serial_.is_on()) [[unlikely]]
      return this->end_serial_commit(), true;
    if (are_beside_disks<A>()) [[unlikely]]
      this->acknowledge();
    if (result == CommitResult::committed && sched::waiters.are_there()) [[unlikely]]
      this->wake_waiters();
    return true;
  }

  void finish(CommitResult result) {
    is_running_ = false;
    callers_frames_.clear();
    saved_locals_.clear();
    exceptions_.end();
    leave_running();
    if (result == CommitResult::committed) privatisation_.quiesce(algorithm_, context_.slot());
    this->note_frees();
    memory_.commit(algorithm_.commit_timestamp());
    this->tell_others();
  }

  /// \param kept  what exceptions own that leave it.
  void roll_back(stats::AbortReason reason, const ExceptionBlocks* kept = nullptr) {
    stats::counters.count_abort(reason);
    this->forget_wait();
    this->roll_back_special();
    solitude_.roll_back(context_.slot());
    algorithm_.roll_back(context_.slot());
    callers_frames_.restore();
    saved_locals_.restore();
    this->forget_additions();
    is_running_ = false;
    leave_running();
    memory_.roll_back(kept);
    if (are_beside_disks<A>()) [[unlikely]]
      disk::forget_commit();
    this->return_others();
  }

  void leave_running() { privatisation_.leave_running(context_.slot()); }
  void announce_other_memory() {
    if (this->is_in_batch()) this->leave_to_owner();
    if (privatisation_.announce_other_memory(context_.slot()) && !extend()) abort(CommitResult::validation);
  }

  /// Whether everything read is still as it was. Behind what others are to see.
  bool extend() { return solitude_.is_valid() && algorithm_.extend(); }

  A algorithm_;
  MemoryManager<A> memory_;
  ThreadContext context_;
  Stack stack_;
  bool is_running_ = false;
  bool has_committed_ = false;  // and has handlers
  log::VolatileUndoLog callers_frames_;
  log::SavedLocals saved_locals_;
  ExceptionState exceptions_;
  Handlers handlers_;
  Progress progress_;
  Privatisation<A> privatisation_;
  [[no_unique_address]] Solitude<A> solitude_;
};

}  // namespace perdure::tx

#endif
