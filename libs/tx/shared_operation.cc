#include "tx/shared_operation.h"

#include <cstring>

#include "persist/step.h"

namespace perdure::tx {

using Place = std::array<std::byte, OperationLayout::most_bytes>;

void SharedOperation::announce(Operation operation, const abi::OperationFrame& frame) {
  layout_ = OperationLayout(frame);
  originals_ = layout_.originals(operation.closure);
  Place copies;
  layout_.copy_from(originals_, copies.data());
  // Who copies one of these values sees, when it looks again, that the operation before is settled.
  std::atomic_thread_fence(std::memory_order_release);
  body_.store(operation.body, std::memory_order_release);
  frame_.store(&frame, std::memory_order_release);
  for (std::size_t i = 0; i * sizeof(std::uint64_t) < layout_.bytes(); ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, copies.data() + i * sizeof(word), sizeof(word));
    words_[i].store(word, std::memory_order_release);
  }
  const std::uint64_t last = operation_of(outcome_.load(std::memory_order_relaxed));
  outcome_.store(last + one_operation + static_cast<std::uint64_t>(Phase::pending), std::memory_order_seq_cst);
}

bool SharedOperation::take_outcome(bool by_owner) {
  const std::uint64_t outcome = outcome_.load(std::memory_order_seq_cst);
  log::TurnState& state = log::turns.state(state_of(outcome));
  const bool is_done = phase_of(outcome) == Phase::done;
  if (is_done && !by_owner) take_results(state);
  outcome_.store(operation_of(outcome), std::memory_order_release);
  // Release: then the state may be filled in anew.
  state.awaited.fetch_sub(1, std::memory_order_release);
  return is_done;
}

void SharedOperation::take_results(const log::TurnState& state) const {
  for (const log::Settlement& each : state.settlements)
    if (each.outcome == &outcome_) layout_.take_written(state.results.begin() + each.results, originals_);
}

bool SharedOperation::run(const Announced& announced, log::TurnState& state) {
  SharedOperation& self = *announced.operation;
  // In a frame of the running thread: to the transaction these are locals of its own, which die with it.
  alignas(OperationLayout::most_alignment) Place place;
  const auto body = self.body_.load(std::memory_order_acquire);
  const abi::OperationFrame* const frame = self.frame_.load(std::memory_order_acquire);
  const OperationLayout layout(*frame);
  for (std::size_t i = 0; i * sizeof(std::uint64_t) < layout.bytes(); ++i) {
    const std::uint64_t word = self.words_[i].load(std::memory_order_acquire);
    std::memcpy(place.data() + i * sizeof(word), &word, sizeof(word));
  }
  if (self.outcome_.load(std::memory_order_seq_cst) != announced.outcome) return false;
  layout.redirect(place.data());
  body(place.data());
  const std::size_t results = state.results.size();
  for (std::uint32_t i = 0; i < layout.bytes(); ++i) state.results.append() = {};
  layout.copy_written(place.data(), state.results.begin() + results);
  persistence::perform<persistence::Step::made_by_other>(
      [&] { self.add(state, announced.outcome, Phase::done, results); });
  return true;
}

void SharedOperation::add(log::TurnState& state, std::uint64_t outcome, Phase phase, std::size_t results) {
  const std::uint64_t settled = operation_of(outcome) | state.number << phase_bits | static_cast<std::uint64_t>(phase);
  state.settlements.push_back({&outcome_, outcome, settled, results});
}

}  // namespace perdure::tx
