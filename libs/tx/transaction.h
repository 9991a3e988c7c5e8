#ifndef PERDURE_TX_TRANSACTION_H
#define PERDURE_TX_TRANSACTION_H

#include <cstdint>
#include <cstring>
#include <new>

#include "log/growing_array.h"
#include "log/retirement.h"
#include "log/saved_locals.h"
#include "log/shared_memory.h"
#include "log/volatile_undo_log.h"
#include "persist/current.h"
#include "pool/window.h"
#include "sched/backoff.h"
#include "sched/hourglass.h"
#include "sched/quiescence.h"
#include "stats/counters.h"
#include "tx/abort.h"
#include "tx/algorithm.h"
#include "tx/captured.h"
#include "tx/exception_state.h"
#include "tx/failure.h"
#include "tx/memory_manager.h"
#include "tx/stack.h"
#include "tx/static_initialisation.h"
#include "tx/thread_context.h"

namespace perdure::tx {

/// A thread's transaction: what every transaction does, whatever its algorithm. Nesting, checkpoint, progress, captured
/// blocks, frees, and memory that only this thread can reach.
template <Algorithm A>
class Transaction {
  using Mode = typename A::Mode;

 public:
  constexpr Transaction() = default;

  /// Runs `body(closure)` until it commits, or lets an exception through.
  void run(void (*body)(void*), void* closure) {
    if (is_running_) [[unlikely]]
      return run_nested(body, closure);
    join();
    aborts_in_a_row_ = 0;
    sched::hourglass.wait_until_clear();
    if (!attempt(body, closure)) [[unlikely]]
      run_again(body, closure);
  }

  bool is_running() const { return is_running_; }

  template <class T>
  T read(const T* address) {
    if (!pool::in_window(address)) [[unlikely]]
      return read_outside(address);
    // Most transactions look first and write then. Until they do, nothing is captured, and nothing is in a log.
    if constexpr (ReadsUnwritten<A>)
      if (memory_.has_only_read()) [[likely]]
        return algorithm_.read_unwritten(address);
    return read_from_pool(address);
  }

  /// Reads bytes that lie in one stripe, if that can be done at once.
  bool read_stripe(void* to, const void* from, std::size_t bytes) {
    if constexpr (!ReadsStripes<A>) {
      return false;
    } else {
      // Of the last block allocated the orecs say nothing, or that it is free: no harm.
      return pool::in_window(from) && algorithm_.template read_stripe<Memory::pool>(to, from, bytes);
    }
  }

  template <class T>
  void write(T* address, T value) {
    memory_.will_write();
    if (!pool::in_window(address)) [[unlikely]]
      return write_outside(address, value);
    if (is_directly_accessible(address)) {
      *address = value;
      return;
    }
    algorithm_.template write<Memory::pool>(address, value);
  }

  /// Whether [address, address + bytes) needs no instrumentation at all: it lies in the last block allocated.
  bool is_captured(const void* address, std::size_t bytes) const {
    if constexpr (!Mode::last_allocation_tracking) return false;
    return memory_.captured().is_in_last(address, bytes);
  }

  /// The body is about to write directly to a local of the function that runs it. In a nested transaction that is the
  /// outer one's own, and dies with it.
  void save_local(void* local, std::size_t bytes) {
    if (stack_.is_below(local, checkpoint.stack_pointer)) return;
    saved_locals_.save(local, bytes);
  }

  MemoryManager<A>& memory() { return memory_; }
  ExceptionState& exceptions() { return exceptions_; }

 private:
  /// Nesting is flat: the inner transaction is part of the outer one. In the initialiser of a static variable it cannot
  /// be, because what the initialiser does is not rolled back.
  void run_nested(void (*body)(void*), void* closure) {
    if (static_initialisation.is_running()) [[unlikely]]
      refuse_transaction_in_initialiser();
    body(closure);
  }

  /// The first attempt was aborted.
  [[gnu::noinline]] void run_again(void (*body)(void*), void* closure) {
    do {
      if (static_initialisation.is_awaited()) {
        release_turn();
        static_initialisation.wait();
      }
      ++aborts_in_a_row_;
      wait_for_turn();
    } while (!attempt(body, closure));
    release_turn();
  }

  /// Out of line, so that what is read before the first write needs no frame.
  template <class T>
  [[gnu::noinline]] T read_from_pool(const T* address) {
    if (is_directly_accessible(address)) return *address;
    return algorithm_.template read<Memory::pool>(address);
  }

  template <class T>
  bool is_directly_accessible(const T* address) const {
    if constexpr (!Mode::last_allocation_tracking) return false;
    return memory_.captured().is_in_last(address);
  }

  template <class T>
  [[gnu::noinline]] T read_outside(const T* address) {
    if (is_private(address)) return *address;
    if (!stack_.contains(address)) announce_other_memory();
    return algorithm_.template read<Memory::other>(address);
  }

  template <class T>
  [[gnu::noinline]] void write_outside(T* address, T value) {
    if (!is_private(address)) {
      if (!stack_.contains(address)) announce_other_memory();
      return algorithm_.template write<Memory::other>(address, value);
    }
    if (Mode::private_stack && stack_.contains(address) && !stack_.is_below(address, checkpoint.stack_pointer))
      callers_frames_.save(address);
    *address = value;
  }

  /// Frames below the checkpoint are the transaction's own and die with it. Those above belong to its callers, who may
  /// have shown them to other threads; in the ideal model nobody has.
  bool is_private(const void* address) const {
    if (stack_.contains(address) && (Mode::private_stack || stack_.is_below(address, checkpoint.stack_pointer)))
      return true;
    return exceptions_.is_in_object(address) || is_directly_accessible(address);
  }

  void join() {
    if (context_.is_joined()) [[likely]]
      return;
    context_.join(this, [](void* self) { static_cast<Transaction*>(self)->leave(); });
    stack_ = Stack::of_this_thread();
  }

  /// The thread ends.
  void leave() {
    memory_.release();
    algorithm_.release();
    callers_frames_.release();
    saved_locals_.release();
    exceptions_.release();
  }

  // -- progress: back-off, then the hourglass ------------------------------------------------------------------

  void wait_for_turn() {
    if (has_turn_) return sched::Hourglass::let_others_finish();
    if (aborts_in_a_row_ >= sched::Hourglass::threshold) {
      sched::hourglass.turn();
      has_turn_ = true;
      stats::counters.hourglass_turns.add(1);
      return;
    }
    backoff_.wait(aborts_in_a_row_);
    sched::hourglass.wait_until_clear();
  }

  void release_turn() {
    if (!has_turn_) [[likely]]
      return;
    has_turn_ = false;
    sched::hourglass.release();
  }

  // -- one attempt ----------------------------------------------------------------------------------------------

  /// \returns whether it has committed.
  bool attempt(void (*body)(void*), void* closure) {
    begin();
    return run_body(body, closure) && commit();
  }

  void begin() {
    exceptions_.begin();
    algorithm_.begin(context_.slot());
    memory_.begin();
    is_running_ = true;
  }

  /// \returns whether the body returned. An exception rolls the transaction back and goes on to the caller.
  bool run_body(void (*body)(void*), void* closure) {
    int result = 0;
    try {
      result = perdure_call_with_checkpoint(&checkpoint, body, closure);
    } catch (...) {
      roll_back(stats::AbortReason::exception);
      exceptions_.end();
      release_turn();
      throw;
    }
    if (result == 0) [[likely]]
      return true;
    exceptions_.abandon();
    give_up(reason_of(result));
    return false;
  }

  /// Rolls back. A conflict is tried again; a failure that stays one is thrown to the caller.
  [[gnu::noinline]] void give_up(CommitResult reason) {
    if (is_conflict(reason))
      return roll_back(reason == CommitResult::locked ? stats::AbortReason::locked : stats::AbortReason::validation);
    const bool perhaps_there_is_room_now = reason == CommitResult::pool_full && memory_.reclaim();
    roll_back(stats::AbortReason::exception);
    if (perhaps_there_is_room_now) return;
    release_turn();
    throw_failure(reason);
  }

  bool commit() {
    const CommitResult result = algorithm_.commit(context_.slot(), memory_.to_flush());
    switch (result) {
      [[likely]] case CommitResult::committed:
        stats::counters.commits.add(1);
        break;
      case CommitResult::read_only:
        (memory_.has_changes() ? stats::counters.commits : stats::counters.read_only_commits).add(1);
        break;
      default:
        give_up(result);
        return false;
    }
    finish(result);
    return true;
  }

  void finish(CommitResult result) {
    is_running_ = false;
    callers_frames_.clear();
    saved_locals_.clear();
    exceptions_.end();
    leave_running();
    if (result == CommitResult::committed) quiesce();
    memory_.commit(algorithm_.commit_timestamp());
  }

  void roll_back(stats::AbortReason reason) {
    stats::counters.count_abort(reason);
    algorithm_.roll_back(context_.slot());
    callers_frames_.restore();
    saved_locals_.restore();
    is_running_ = false;
    leave_running();
    memory_.roll_back();
  }

  // -- privatisation ---------------------------------------------------------------------------------------------

  static constexpr bool quiesces_always = A::traits.needs_quiescence && Mode::quiescence == sched::Quiescence::always;
  static constexpr bool quiesces_for_other_memory =
      A::traits.needs_quiescence && Mode::quiescence == sched::Quiescence::other_memory;
  /// Pool memory may be used directly once it is private, and redo records outlive the locks.
  static constexpr bool waits_for_retirement = Mode::durable && Mode::deferred_flushing && !A::traits.writes_in_place &&
                                               Mode::quiescence == sched::Quiescence::always;

  /// The first use of memory outside of pools and of the thread's own stack, which lasts as long as the thread is in
  /// the transaction and is not made private by others (docs/algorithms.md). Either a thread that has made such memory
  /// private sees that it must wait for this transaction, or this transaction sees that commit: each announces first
  /// and looks then.
  void announce_other_memory() {
    if constexpr (quiesces_for_other_memory) {
      if (uses_other_memory_) [[likely]]
        return;
      uses_other_memory_ = true;
      sched::ThreadSlot& slot = context_.slot();
      slot.uses_other_memory_since.store(slot.running_since.load(std::memory_order_relaxed), std::memory_order_seq_cst);
      if (!algorithm_.extend()) abort(CommitResult::validation);
    }
  }

  void leave_running() {
    // Release: whoever waits for this transaction comes after all that it did.
    context_.slot().running_since.store(sched::never, std::memory_order_release);
    if constexpr (quiesces_for_other_memory) {
      if (!uses_other_memory_) return;
      context_.slot().uses_other_memory_since.store(sched::never, std::memory_order_release);
      uses_other_memory_ = false;
    }
  }

  void quiesce() {
    if constexpr (quiesces_always) quiesce(&sched::ThreadSlot::running_since);
    if constexpr (quiesces_for_other_memory) quiesce(&sched::ThreadSlot::uses_other_memory_since);
    if constexpr (waits_for_retirement) log::wait_until_retired<persist::Current>(algorithm_.commit_timestamp());
  }

  void quiesce(std::atomic<std::uint64_t> sched::ThreadSlot::* since) {
    const std::uint64_t waited = sched::quiesce(algorithm_.commit_timestamp(), since, &context_.slot());
    if (waited == 0) [[likely]]
      return;
    stats::counters.quiescence_waits.add(1);
    stats::counters.quiescence_nanoseconds.add(waited);
  }

  A algorithm_;
  MemoryManager<A> memory_;
  ThreadContext context_;
  Stack stack_;
  bool is_running_ = false;
  bool has_turn_ = false;
  bool uses_other_memory_ = false;
  unsigned aborts_in_a_row_ = 0;
  log::VolatileUndoLog callers_frames_;
  log::SavedLocals saved_locals_;
  ExceptionState exceptions_;
  sched::Backoff backoff_;
};

}  // namespace perdure::tx

#endif
