#ifndef PERDURE_TX_COMBINING_H
#define PERDURE_TX_COMBINING_H

#include <atomic>
#include <cstddef>

#include "abi/operation_frame.h"
#include "log/growing_array.h"
#include "persist/step.h"
#include "sched/hourglass.h"
#include "sched/thread_registry.h"
#include "stats/counters.h"
#include "sync/spin.h"
#include "tx/abort.h"
#include "tx/algorithm.h"
#include "tx/announced_operation.h"
#include "tx/checkpoint.h"
#include "tx/runner.h"
#include "tx/without_queue.h"

namespace perdure::tx {

/// Who has the turn to make updates makes those of others, too, who wait for it: behind its own, in the same
/// transaction, so all of them share its fences. (EuroSys'20, section 5: the thread that wins executes the requests
/// that all have announced.) A part of tx::Transaction.
///
/// What the others announce are portable operations (docs/abi.md). One that another thread cannot run after all leaves
/// by an exception or by `abort`: then all of the transaction is rolled back, and that one is its owner's again.
///
/// An operation belongs to its owner until somebody takes it from the owner's slot, and again when it is settled. So
/// nobody waits but for the turn, as without this.
template <class Transaction, class A>
class Combining : public WithoutQueue {
 protected:
  static constexpr bool is_running_for_other() { return false; }
  static constexpr void leave_to_owner() {}
  static constexpr bool is_done_by_other(const Operation&) { return false; }
  static constexpr bool withdraw() { return false; }
  static constexpr int run_others() { return 0; }
  static constexpr int settle_own() { return 0; }
  static constexpr void tell_others() {}
  static constexpr void return_others() {}
  static constexpr void release_announced() {}

 private:
  friend Transaction;
  constexpr Combining() = default;
};

template <class Transaction, TakesTurns A>
class Combining<Transaction, A> : public WithoutQueue {
 public:
  void run_operation(Operation operation, const abi::OperationFrame& frame) {
    if (!may_be_done_by_other(frame) || !is_done_by_other(operation, frame)) self().run(operation);
  }

 protected:
  /// What runs is another thread's, and is to be given back rather than do what only that thread can.
  bool is_running_for_other() const { return is_running_for_other_; }
  [[noreturn]] static void leave_to_owner() { abort(CommitResult::locked); }

  // Nothing of this thread is announced while it runs.
  static constexpr bool is_done_by_other(const Operation&) { return false; }
  static constexpr bool withdraw() { return false; }
  static constexpr int settle_own() { return 0; }

  /// The body has returned. \returns 0, has_handlers, or what the transaction is to be rolled back for.
  int run_others() {
    if (!self().algorithm_.has_turn() || self().is_serial()) return 0;
    take_announced();
    if (taken_.empty()) [[likely]]
      return 0;
    const int result = run_all_taken();
    if (!persistence::value<persistence::Step::others_told_after_commit>(true)) tell_others();
    return result;
  }

  /// The transaction has committed, and what it made private may be used.
  void tell_others() {
    if (taken_.empty()) [[likely]]
      return;
    stats::counters.commits.add(taken_.size());
    stats::counters.commits_for_others.add(taken_.size());
    for (AnnouncedOperation* const operation : taken_) operation->settle(AnnouncedOperation::Outcome::done);
    taken_.clear();
  }

  /// The transaction was rolled back.
  void return_others() {
    for (AnnouncedOperation* const operation : taken_) operation->settle(AnnouncedOperation::Outcome::returned);
    taken_.clear();
    is_running_for_other_ = false;
  }

  void release_announced() {
    announced_.release();
    taken_.release();
  }

 private:
  friend Transaction;
  constexpr Combining() = default;

  // -- The owner of an operation.

  bool may_be_done_by_other(const abi::OperationFrame& frame) {
    // Who only reads does not look at the lock, whose cache line belongs to those who take it.
    return !self().is_running() && self().context_.is_joined() && self().algorithm_.expects_to_write() &&
           A::is_turn_taken() && OperationLayout::is_suitable(frame);
  }

  [[gnu::noinline]] bool is_done_by_other(Operation operation, const abi::OperationFrame& frame) {
    announced_.copy(operation, frame);
    std::atomic<void*>& place = self().context_.slot().announced;
    // Release: who takes it finds the copies.
    place.store(&announced_, std::memory_order_release);
    sync::PatientSpinner spinner;
    while (announced_.outcome() == AnnouncedOperation::Outcome::pending) {
      // Whoever has taken it owns it, until it settles how that ended.
      if (must_do_it_itself() && place.exchange(nullptr, std::memory_order_relaxed) != nullptr) return false;
      spinner.wait();
    }
    if (announced_.outcome() != AnnouncedOperation::Outcome::done) return false;
    announced_.take_results();
    return true;
  }

  /// Nobody makes an update, or somebody waits to be alone, who must not be kept waiting.
  static bool must_do_it_itself() { return !A::is_turn_taken() || sched::hourglass.is_turned(); }

  // -- Who has the turn.

  void take_announced() {
    sched::thread_registry.for_each([this](sched::ThreadSlot& slot) {
      if (slot.announced.load(std::memory_order_relaxed) == nullptr) return;
      // Acquire pairs with the release of who has announced it.
      void* const announced = slot.announced.exchange(nullptr, std::memory_order_acquire);
      if (announced != nullptr) taken_.push_back(static_cast<AnnouncedOperation*>(announced));
    });
  }

  [[gnu::noinline]] int run_all_taken() {
    const auto body = [](void* self) { static_cast<Combining*>(self)->run_taken(); };
    const int result = perdure_call_with_checkpoint(&checkpoint, body, this);
    // A failure is for its owner, and so is what it waits for.
    return result == 0 || result == has_handlers ? result : checkpoint_result(CommitResult::locked);
  }

  void run_taken() {
    is_running_for_other_ = true;
    for (AnnouncedOperation* const operation : taken_) {
      const std::size_t handlers = self().handlers_.blocks();
      try {
        operation->run();
      } catch (...) {
        leave_to_owner();
      }
      // Its handlers would be run by this thread.
      if (self().handlers_.blocks() != handlers) leave_to_owner();
    }
    is_running_for_other_ = false;
  }

  Transaction& self() { return static_cast<Transaction&>(*this); }

  AnnouncedOperation announced_;                  // this thread's own
  log::GrowingArray<AnnouncedOperation*> taken_;  // of others
  bool is_running_for_other_ = false;             // one of those
};

}  // namespace perdure::tx

#endif
