#ifndef PERDURE_TX_HELPING_H
#define PERDURE_TX_HELPING_H

#include <atomic>
#include <cstddef>

#include "abi/operation_frame.h"
#include "log/growing_array.h"
#include "sched/hourglass.h"
#include "sched/thread_registry.h"
#include "stats/counters.h"
#include "tx/abort.h"
#include "tx/algorithm.h"
#include "tx/checkpoint.h"
#include "tx/combining.h"
#include "tx/runner.h"
#include "tx/shared_operation.h"

namespace perdure::tx {

/// Where threads make updates side by side, and a turn says which of them counts: who was too late announces its
/// operation, if that is portable (docs/abi.md), and goes on trying. Whoever makes a turn makes it with the operations
/// that it finds announced. (Combining consensus; EuroSys'20, section 5.)
///
/// The bound: of two turns that are decided after the announcement, the second was begun after it, and so settles the
/// operation, unless it cannot be run by another thread. So as long as there is a copy left to make turns in, others
/// cannot keep a thread from its own for more than these.
///
/// An operation that another thread cannot run after all leaves by an exception or by `abort`. Then that thread begins
/// its turn anew, and gives the operation back in it. From then on it is its owner's alone.
template <class Transaction, HelpsOthers A>
class Combining<Transaction, A> : public WithoutQueue {
 public:
  void run_operation(Operation operation, const abi::OperationFrame& frame) {
    if (self().is_running() || !self().context_.is_joined() || !OperationLayout::is_suitable(frame))
      return self().run(operation);
    const Portable portable(*this, frame);
    self().run(operation);
  }

 protected:
  /// What runs is another thread's, and is to be given back rather than do what only that thread can.
  bool is_running_for_other() const { return running_.operation != nullptr; }
  /// Then this leaves it.
  [[noreturn]] void leave_to_owner() {
    refused_.push_back(running_);
    abort(CommitResult::locked);
  }

  /// Before a further attempt: it announces the operation (Algorithm 3, step 1), or has found out what became of it
  /// (lines 43 to 50). \returns whether another thread has done it.
  bool is_done_by_other(const Operation& operation) {
    if (is_done_) return take_end();
    if (self().progress_.must_be_alone()) return withdraw() && take_end();
    if (frame_ == nullptr) {
      self().algorithm_.let_others_go_first(self().context_.slot(), [] { return false; });
      return false;
    }
    if (!is_announced_) announce(operation);
    self().algorithm_.let_others_go_first(self().context_.slot(), [this] { return !own().is_pending(); });
    return is_settled() && take_end();
  }

  /// The transaction was rolled back, and its caller is to be told why. \returns whether another thread has done the
  /// operation meanwhile; then that holds.
  bool withdraw() {
    while (is_announced_ && !is_settled()) {
      const bool is_first = self().progress_.has_turn();
      if (!is_first) sched::hourglass.wait_until_clear();
      self().algorithm_.begin(self().context_.slot());
      // No turn is made beside one who is alone.
      if (is_first || !sched::hourglass.is_turned()) make_turn_to_withdraw();
      self().leave_running();
    }
    return is_done_;
  }

  /// The body has returned: what others have announced is next (Algorithm 3, step 7). \returns 0, or what the
  /// transaction is to be rolled back for.
  int run_others() {
    const bool helps = self().algorithm_.is_updating() && !self().is_serial();
    if (!is_announced_ && !helps) [[likely]]
      return 0;
    const auto body = [](void* self) { static_cast<Combining*>(self)->fill_in_turn(); };
    return result_of(perdure_call_with_checkpoint(&checkpoint, body, this));
  }
  /// The same for a body that has left something to be done after the commit.
  int settle_own() { return is_announced_ && !settles_own_ ? run_others() : 0; }

  /// The transaction has committed, and what it made private may be used.
  void tell_others() {
    refused_.clear();
    if (helped_ != 0) {
      stats::counters.commits.add(helped_);
      stats::counters.commits_for_others.add(helped_);
      helped_ = 0;
    }
    if (!is_announced_) [[likely]]
      return;
    own().take_outcome(true);
    is_announced_ = settles_own_ = false;
  }

  /// The transaction was rolled back.
  void return_others() {
    running_ = {};
    settles_own_ = false;
    helped_ = 0;
  }

  void release_announced() { refused_.release(); }

 private:
  friend Transaction;
  constexpr Combining() = default;

  /// While the caller's operation can be announced.
  struct Portable {
    Portable(Combining& owner, const abi::OperationFrame& frame) : owner(owner) { owner.frame_ = &frame; }
    Portable(const Portable&) = delete;
    Portable& operator=(const Portable&) = delete;
    ~Portable() { owner.frame_ = nullptr; }
    Combining& owner;
  };

  // -- The owner of an operation.

  SharedOperation& own() { return SharedOperation::of(self().context_.slot()); }

  void announce(const Operation& operation) {
    own().announce(operation, *frame_);
    is_announced_ = true;
  }

  /// Whether a turn has settled what is announced. Then `is_done_` says how.
  bool is_settled() {
    if (own().is_pending()) return false;
    is_announced_ = false;
    is_done_ = own().take_outcome();
    if (!is_done_) frame_ = nullptr;
    return true;
  }

  void make_turn_to_withdraw() {
    self().algorithm_.make_empty_turn(self().context_.slot(), [this](log::TurnState& state) {
      if (!own().is_pending()) return false;
      own().settle_by_owner(state, SharedOperation::Phase::returned);
      return true;
    });
  }

  /// It is done by another: what the caller does next sees it. \returns whether that is so.
  bool take_end() {
    if (!is_done_) return false;
    is_done_ = false;
    self().algorithm_.see_turns(self().context_.slot());
    self().leave_running();
    return true;
  }

  // -- Who makes a turn.

  void fill_in_turn() {
    log::TurnState& state = self().algorithm_.state_of_turn();
    settles_own_ = is_announced_;
    if (is_announced_) {
      // A turn up to this transaction's beginning may have settled it: then it is not done again. One that comes later
      // is not followed by this one.
      if (!own().is_pending()) abort(CommitResult::locked);
      own().settle_by_owner(state, SharedOperation::Phase::done);
    }
    if (self().is_serial()) return;
    sched::thread_registry.for_each([&](sched::ThreadSlot& slot) {
      auto* const operation = static_cast<SharedOperation*>(slot.announced.load(std::memory_order_acquire));
      if (operation == nullptr || &slot == &self().context_.slot()) return;
      if (SharedOperation::Announced announced; operation->find(announced)) help(announced, state);
    });
  }

  void help(const SharedOperation::Announced& announced, log::TurnState& state) {
    for (const SharedOperation::Announced& refused : refused_)
      if (refused.operation == announced.operation && refused.outcome == announced.outcome)
        return SharedOperation::give_back(announced, state);
    running_ = announced;
    const std::size_t handlers = self().handlers_.blocks();
    try {
      if (SharedOperation::run(announced, state)) ++helped_;
    } catch (...) {
      leave_to_owner();
    }
    // Its handlers would be run by this thread.
    if (self().handlers_.blocks() != handlers) leave_to_owner();
    running_ = {};
  }

  /// A failure is for its owner, and so is what it waits for.
  int result_of(int result) {
    if (result == 0 || result == has_handlers) [[likely]]
      return result;
    const CommitResult reason = reason_of(result);
    if (is_running_for_other() && reason != CommitResult::locked && reason != CommitResult::validation)
      refused_.push_back(running_);
    return checkpoint_result(CommitResult::locked);
  }

  Transaction& self() { return static_cast<Transaction&>(*this); }

  const abi::OperationFrame* frame_ = nullptr;             // of the running operation, if others may run it
  bool is_announced_ = false;                              // that one
  bool settles_own_ = false;                               // the turn that is being filled in
  bool is_done_ = false;                                   // by another, and that is to be taken note of
  SharedOperation::Announced running_{};                   // another thread's operation
  log::GrowingArray<SharedOperation::Announced> refused_;  // those that this thread cannot run
  std::size_t helped_ = 0;
};

}  // namespace perdure::tx

#endif
