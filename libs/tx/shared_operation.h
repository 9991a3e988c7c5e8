#ifndef PERDURE_TX_SHARED_OPERATION_H
#define PERDURE_TX_SHARED_OPERATION_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "abi/operation_frame.h"
#include "log/turn_state.h"
#include "log/turns.h"
#include "sched/thread_registry.h"
#include "tx/operation_layout.h"
#include "tx/runner.h"

namespace perdure::tx {

/// A portable operation (docs/abi.md) that any thread may run, several at once, until a turn settles it: the body, and
/// a copy of the locals that it works on. Who runs it copies that again. (EuroSys'20, Algorithm 3, step 1: the request
/// that a thread publishes; its result is in the state of the turn.)
///
/// One object a slot of the registry, for good: who is late may look at it after its owner has gone on. `outcome` says
/// which operation of the owner it holds, and how far that is; who has copied it looks at that again.
class SharedOperation {
 public:
  enum class Phase : std::uint8_t {
    settled,  ///< the owner's: it has been told, or has announced nothing
    pending,  ///< announced
    done,     ///< by the turn whose state is named; what it wrote to its locals is there
    returned  ///< that turn's maker could not do it: the owner does
  };

  /// What has been announced is an operation, and none of those before.
  struct Announced {
    std::uint64_t outcome;
    SharedOperation* operation;
  };

  // -- By the owner.

  /// That of the calling thread, whose slot it is.
  static SharedOperation& of(sched::ThreadSlot& slot);
  /// \param slot  of the pool that it uses, where that matters.
  void announce(Operation operation, const abi::OperationFrame& frame, std::size_t slot = log::TurnState::no_pool);
  bool is_pending() const { return phase_of(outcome_.load(std::memory_order_seq_cst)) == Phase::pending; }
  /// It is settled. \returns whether it is done: then what it wrote is in the owner's locals.
  /// \param by_owner  it was there already.
  bool take_outcome(bool by_owner = false);

  /// How a turn settles it that the caller makes, of which the state is being filled in.
  void settle_by_owner(log::TurnState& state, Phase phase) {
    add(state, outcome_, outcome_.load(std::memory_order_relaxed), phase, state.results.size());
  }

  // -- By who helps.

  /// \returns whether it is announced.
  bool find(Announced& announced) {
    announced = {outcome_.load(std::memory_order_seq_cst), this};
    return phase_of(announced.outcome) == Phase::pending;
  }

  /// Runs it in the middle of a transaction, and adds how it ends to the state of its turn. May leave by an exception,
  /// or by `abort`. \returns false when it was settled meanwhile.
  static bool run(const Announced& announced, log::TurnState& state);
  /// It cannot be run by the caller.
  static void give_back(const Announced& announced, log::TurnState& state) {
    add(state, announced.operation->outcome_, announced.outcome, Phase::returned, state.results.size());
  }

  // -- Where what the next turn is to be is decided first (tx/queueing.h).

  std::size_t slot() const { return slot_.load(std::memory_order_acquire); }
  /// It becomes a part of the batch, unless it was settled meanwhile.
  void enqueue(const Announced& announced, log::TurnState& batch);
  /// Runs it in the middle of a transaction. \param turn  of which it is to be a part, or null.
  static void run(const log::QueuedOperation& operation, const log::TurnState& batch, log::TurnState* turn);
  static void give_back(const log::QueuedOperation& operation, log::TurnState& turn) {
    add(turn, *operation.outcome, operation.pending, Phase::returned, turn.results.size());
  }
  static bool is_of(const log::QueuedOperation& operation, const SharedOperation& owner) {
    return operation.outcome == &owner.outcome_;
  }

 private:
  // The number of the operation, the number of a state, and the phase.
  static constexpr unsigned phase_bits = 2;
  static constexpr unsigned state_bits = 16;
  static constexpr std::uint64_t one_operation = std::uint64_t{1} << (phase_bits + state_bits);
  static constexpr Phase phase_of(std::uint64_t outcome) { return static_cast<Phase>(outcome % (1U << phase_bits)); }
  static constexpr std::uint64_t operation_of(std::uint64_t outcome) { return outcome & ~(one_operation - 1); }
  static constexpr std::uint64_t state_of(std::uint64_t outcome) { return outcome % one_operation >> phase_bits; }

  using Place = std::array<std::byte, OperationLayout::most_bytes>;

  void copy_words(std::byte* to, std::size_t bytes) const;
  static void run(void (*body)(void*), const OperationLayout& layout, Place& place, log::TurnState* turn,
                  std::atomic<std::uint64_t>& outcome, std::uint64_t pending);
  static void add(log::TurnState& state, std::atomic<std::uint64_t>& outcome, std::uint64_t pending, Phase phase,
                  std::size_t results);
  void take_results(const log::TurnState& state) const;

  std::atomic<std::uint64_t> outcome_{0};
  std::atomic<void (*)(void*)> body_{nullptr};
  std::atomic<const abi::OperationFrame*> frame_{nullptr};
  std::atomic<std::size_t> slot_{log::TurnState::no_pool};
  std::array<std::atomic<std::uint64_t>, OperationLayout::most_bytes / sizeof(std::uint64_t)> words_{};
  OperationLayout layout_;  // the owner's, as these
  OperationLayout::Originals originals_{};
};

}  // namespace perdure::tx

#endif
