#ifndef PERDURE_TX_QUEUEING_H
#define PERDURE_TX_QUEUEING_H

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "abi/operation_frame.h"
#include "alloc/next_layout.h"
#include "log/queued_operation.h"
#include "log/turns.h"
#include "persist/step.h"
#include "pool/slots.h"
#include "pool/window.h"
#include "sched/hourglass.h"
#include "sched/thread_registry.h"
#include "stats/counters.h"
#include "sync/spin.h"
#include "tx/abort.h"
#include "tx/algorithm.h"
#include "tx/block_source.h"
#include "tx/checkpoint.h"
#include "tx/combining.h"
#include "tx/known_operations.h"
#include "tx/runner.h"
#include "tx/shared_operation.h"

namespace perdure::tx {

/// Where operations are put in order before anybody runs them (CX, EuroSys'20, section 4): a thread announces a
/// portable one (docs/abi.md) that writes, and then makes turns until one of them has settled it. What the next turn is
/// to be, a batch of what is announced, is decided by one compare-and-set; and then each thread makes that turn in a
/// copy of the pool that it has to itself, or finds that another one has.
///
/// The bound: the batch that follows the next one contains the operation, if all announced ones use one pool; of
/// several pools, each thread in turn says of which one the batch is. As long as there is a copy left to make turns in,
/// others cannot keep a thread from its own for more than these.
///
/// All who run an operation come to the same end: they begin with the same copy of its locals and the same pool, use
/// nothing else, and agree upon the blocks that it allocates. One that cannot be run so, or leaves by an exception, is
/// left out by the first to see that, and so by all, and is run by its owner, in a turn that it makes as in Redo-PTM.
template <class Transaction, QueuesOperations A>
class Combining<Transaction, A> {
  using QueuedOperation = log::QueuedOperation;
  using Fate = QueuedOperation::Fate;

 public:
  void run_operation(Operation operation, const abi::OperationFrame& frame) {
    if (self().is_running() || !self().context_.is_joined() || !OperationLayout::is_suitable(frame))
      return self().run(operation);
    const std::size_t slot = known_.slot_of(operation.body);
    // The first time it is run here, up to where it writes.
    if (A::may_be_queued(slot) && is_made_in_order(operation, frame, slot)) return;
    const Portable portable(*this, known_.may_be_queued(operation.body) ? &frame : nullptr);
    self().run(operation);
  }

  /// How many bytes of it may be used. All agree upon that, too: another one may be there when the operation is made
  /// again.
  std::size_t size_of_block(void* block) {
    if (!is_in_batch()) return usable_block_size(block);
    const std::size_t index = sizes_++;
    if (const std::uint64_t size = running_->sizes.find(index); size != 0) return size - 1;
    if (is_making_again_) leave_to_owner();
    return running_->sizes.agree(index, usable_block_size(block) + 1) - 1;
  }

 protected:
  /// Every thread may be running it.
  bool is_running_for_other() const { return is_in_batch(); }
  bool is_in_batch() const { return running_ != nullptr; }
  [[noreturn]] static void leave_to_owner() { abort(CommitResult::not_alone); }

  /// Before a further attempt. \returns whether the operation was made in another way.
  bool is_done_by_other(const Operation& operation) {
    const std::size_t slot = self().algorithm_.wanted_slot();
    self().algorithm_.offer_to_queue(false);
    if (frame_ != nullptr && slot != log::TurnState::no_pool && !self().progress_.must_be_alone()) {
      if (is_made_in_order(operation, *frame_, slot)) return true;
      frame_ = nullptr;
    }
    if (is_turn_queued()) make_turn();
    return false;
  }

  /// The thread is alone, and what it does next cannot be rolled back: so nothing may come before it.
  void make_queued_turns() {
    while (is_turn_queued()) make_turn();
  }

  static constexpr bool withdraw() { return false; }
  static constexpr int run_others() { return 0; }
  static constexpr int settle_own() { return 0; }

  /// Before what it has freed can become something else.
  void note_frees() {
    self().memory_.for_each_freed([](void* block) {
      if (pool::in_window(block)) A::note_freed(block, usable_block_size(block));
    });
  }

  /// The turn is made.
  void tell_others() {
    if (!makes_batch_) return;
    stats::counters.commits.add(made_ - 1);  // the transaction counts as one, which is none of them
    stats::counters.commits_for_others.add(made_ - made_own_);
    makes_batch_ = false;
    made_ = made_own_ = 0;
  }
  void return_others() {
    running_ = nullptr;
    is_making_again_ = makes_batch_ = false;
    made_ = made_own_ = 0;
  }
  static constexpr void release_announced() {}

  /// In an operation that others run, too: a block that all agree upon. May leave by `abort`.
  void* allocate_in_batch(std::size_t bytes, std::size_t alignment) {
    const std::size_t index = blocks_++;
    const bool agrees = persistence::value<persistence::Step::block_agreed>(true);
    std::uint64_t block = agrees ? running_->blocks.find(index) : 0;
    if (block == 0) {
      if (is_making_again_) leave_to_owner();
      void* const proposed = self().memory_.allocate_for_all(bytes, alignment);
      if (proposed == nullptr) abort(CommitResult::pool_full);
      const bool is_in_pool = pool::in_window(proposed) && pool::slot_of(proposed) == slot_;
      const auto address = reinterpret_cast<std::uint64_t>(proposed);
      if (is_in_pool) block = agrees ? running_->blocks.agree(index, address) : address;
      if (block != address) free_block(proposed);
      if (!is_in_pool) leave_to_owner();
    } else {
      alloc::take_next_layout();
    }
    auto* const address = reinterpret_cast<void*>(block);
    self().algorithm_.note_block_of_batch(address, bytes);
    return address;
  }

 private:
  friend Transaction;
  constexpr Combining() = default;

  /// While the caller's operation can be announced.
  struct Portable {
    Portable(Combining& owner, const abi::OperationFrame* frame) : owner(owner) {
      owner.frame_ = frame;
      owner.self().algorithm_.offer_to_queue(frame != nullptr);
    }
    Portable(const Portable&) = delete;
    Portable& operator=(const Portable&) = delete;
    ~Portable() {
      owner.frame_ = nullptr;
      owner.self().algorithm_.offer_to_queue(false);
    }
    Combining& owner;
  };

  // -- The owner of an operation.

  SharedOperation& own() { return SharedOperation::of(self().context_.slot()); }

  /// \returns false when it was left out: it is its owner's to run.
  [[gnu::noinline]] bool is_made_in_order(const Operation& operation, const abi::OperationFrame& frame,
                                          std::size_t slot) {
    SharedOperation& own = this->own();
    own.announce(operation, frame, slot);
    sync::PatientSpinner spinner;
    while (own.is_pending())
      if (!make_turn()) spinner.wait();
    const bool is_made = own.take_outcome();
    known_.note(operation.body, slot, is_made);
    self().algorithm_.see_turns(self().context_.slot());
    return is_made;
  }

  // -- Who makes a turn.

  static bool is_turn_queued() { return log::turns.queued_at(log::turns.time() + 1) != nullptr; }

  /// \returns whether there has been one since, whoever has made it.
  [[gnu::noinline]] bool make_turn() {
    if (!self().progress_.has_turn()) sched::hourglass.wait_until_clear();
    self().algorithm_.offer_to_queue(false);
    self().begin();
    const std::uint64_t time = self().algorithm_.time();
    const auto body = [](void* self) { static_cast<Combining*>(self)->make_next_batch(); };
    const int result = perdure_call_with_checkpoint(&checkpoint, body, this);
    if (result == 0 || result == has_handlers) {
      copies_lag_ = false;
      self().commit();
    } else {
      note_end(reason_of(result));
      self().exceptions_.abandon();
      self().give_up(CommitResult::locked);
    }
    return log::turns.time() != time;
  }

  /// Why it was left: because of a conflict, or since an operation cannot be run here.
  void note_end(CommitResult reason) {
    if (running_ == nullptr || reason == CommitResult::locked || reason == CommitResult::validation) return;
    if (is_making_again_ || !running_->decide(Fate::returned)) copies_lag_ = true;
  }

  void make_next_batch() {
    log::TurnState* const batch = next_batch();
    if (batch == nullptr) return;
    if (!batch->is_batch()) {
      // It is made already, by its owner.
      log::turns.decide(self().context_.slot(), self().algorithm_.time(), *batch);
      log::turns.complete(self().context_.slot());
      return;
    }
    slot_ = batch->slot;
    log::TurnState& turn = self().algorithm_.begin_batch(*batch, copies_lag_, [this](log::TurnState& made) {
      is_making_again_ = true;
      for (QueuedOperation& operation : made.operations)
        if (operation.fate() == Fate::made) run(operation, made);
      self().memory_.forget_frees();
      is_making_again_ = false;
    });
    makes_batch_ = true;
    for (QueuedOperation& operation : batch->operations) make(operation, *batch, turn);
  }

  void make(QueuedOperation& operation, log::TurnState& batch, log::TurnState& turn) {
    if (operation.fate() == Fate::returned) return leave_out(operation, turn);
    run(operation, batch, &turn);
    if (!operation.decide(Fate::made)) abort(CommitResult::locked);
    ++made_;
    if (SharedOperation::is_of(operation, own())) made_own_ = 1;
  }

  void leave_out(QueuedOperation& operation, log::TurnState& turn) {
    SharedOperation::give_back(operation, turn);
    operation.blocks.for_each([this](std::uint64_t block) { self().memory_.free(reinterpret_cast<void*>(block)); });
  }

  /// \param turn  where its results go; null if nobody asks for them any more.
  void run(QueuedOperation& operation, log::TurnState& batch, log::TurnState* turn = nullptr) {
    running_ = &operation;
    blocks_ = sizes_ = 0;
    const std::size_t handlers = self().handlers_.blocks();
    try {
      SharedOperation::run(operation, batch, turn);
    } catch (...) {
      leave_to_owner();
    }
    // Its handlers would be run by each thread.
    if (self().handlers_.blocks() != handlers) leave_to_owner();
    // What is added to counters is what the next operation is to see.
    self().add_before_other_code();
    running_ = nullptr;
  }

  /// What the next turn is to be; null when nobody has announced anything. May leave by `abort`.
  log::TurnState* next_batch() {
    const std::uint64_t time = self().algorithm_.time() + 1;
    if (log::TurnState* const batch = log::turns.queued_at(time)) return batch;
    log::TurnState& batch = self().algorithm_.take_batch();
    batch.slot = slot_of_turn(time);
    if (batch.slot == log::TurnState::no_pool) return nullptr;
    for_each_announced([&](const SharedOperation::Announced& announced) {
      if (announced.operation->slot() == batch.slot) announced.operation->enqueue(announced, batch);
    });
    if (!batch.is_batch()) return nullptr;
    if (!log::turns.enqueue(time, batch)) return log::turns.queued_at(time);
    self().algorithm_.give_away_batch();
    return &batch;
  }

  /// Of which pool the batch is: that of the first operation from a thread on that each turn has another one of.
  static std::size_t slot_of_turn(std::uint64_t time) {
    std::size_t count = 0;
    for_each_announced([&](const SharedOperation::Announced&) { ++count; });
    if (count == 0) return log::TurnState::no_pool;
    std::size_t result = log::TurnState::no_pool;
    std::size_t number = 0;
    for_each_announced([&](const SharedOperation::Announced& announced) {
      if (number++ == time % count || result == log::TurnState::no_pool) result = announced.operation->slot();
    });
    return result;
  }

  template <class Function>
  static void for_each_announced(Function&& function) {
    sched::thread_registry.for_each([&](sched::ThreadSlot& slot) {
      auto* const operation = static_cast<SharedOperation*>(slot.announced.load(std::memory_order_acquire));
      if (operation == nullptr) return;
      if (SharedOperation::Announced announced; operation->find(announced)) function(announced);
    });
  }

  Transaction& self() { return static_cast<Transaction&>(*this); }

  const abi::OperationFrame* frame_ = nullptr;  // of the running operation, if others may run it
  QueuedOperation* running_ = nullptr;          // of a batch
  std::size_t slot_ = log::TurnState::no_pool;  // of the pool that the batch uses
  std::size_t blocks_ = 0;                      // that the operation has asked for so far
  std::size_t sizes_ = 0;                       // the same
  bool is_making_again_ = false;                // a batch that the copy lacks
  bool copies_lag_ = false;                     // next time
  bool makes_batch_ = false;                    // the turn that the thread makes
  std::size_t made_ = 0;                        // operations of it
  std::size_t made_own_ = 0;                    // of these
  KnownOperations known_;
};

}  // namespace perdure::tx

#endif
