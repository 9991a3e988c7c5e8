#include "tx/shared_operation.h"

#include <cstdlib>
#include <cstring>
#include <new>

#include "persist/step.h"

namespace perdure::tx {

SharedOperation& SharedOperation::of(sched::ThreadSlot& slot) {
  void* own = slot.announced.load(std::memory_order_relaxed);
  if (own == nullptr) {
    // For good, as the slot: others may look at it at any time.
    own = std::aligned_alloc(alignof(SharedOperation), sizeof(SharedOperation));
    if (own == nullptr) std::abort();
    slot.announced.store(new (own) SharedOperation, std::memory_order_release);
  }
  return *static_cast<SharedOperation*>(own);
}

void SharedOperation::announce(Operation operation, const abi::OperationFrame& frame, std::size_t slot) {
  layout_ = OperationLayout(frame);
  originals_ = layout_.originals(operation.closure);
  Place copies;
  layout_.copy_from(originals_, copies.data());
  // Who copies one of these values sees, when it looks again, that the operation before is settled.
  std::atomic_thread_fence(std::memory_order_release);
  body_.store(operation.body, std::memory_order_release);
  frame_.store(&frame, std::memory_order_release);
  slot_.store(slot, std::memory_order_release);
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

void SharedOperation::copy_words(std::byte* to, std::size_t bytes) const {
  for (std::size_t i = 0; i * sizeof(std::uint64_t) < bytes; ++i) {
    const std::uint64_t word = words_[i].load(std::memory_order_acquire);
    std::memcpy(to + i * sizeof(word), &word, sizeof(word));
  }
}

bool SharedOperation::run(const Announced& announced, log::TurnState& state) {
  SharedOperation& self = *announced.operation;
  // In a frame of the running thread: to the transaction these are locals of its own, which die with it.
  alignas(OperationLayout::most_alignment) Place place;
  const auto body = self.body_.load(std::memory_order_acquire);
  const OperationLayout layout(*self.frame_.load(std::memory_order_acquire));
  self.copy_words(place.data(), layout.bytes());
  if (self.outcome_.load(std::memory_order_seq_cst) != announced.outcome) return false;
  run(body, layout, place, &state, self.outcome_, announced.outcome);
  return true;
}

void SharedOperation::run(void (*body)(void*), const OperationLayout& layout, Place& place, log::TurnState* turn,
                          std::atomic<std::uint64_t>& outcome, std::uint64_t pending) {
  layout.redirect(place.data());
  body(place.data());
  if (turn == nullptr) return;
  const std::size_t results = turn->results.size();
  for (std::uint32_t i = 0; i < layout.bytes(); ++i) turn->results.append() = {};
  layout.copy_written(place.data(), turn->results.begin() + results);
  persistence::perform<persistence::Step::made_by_other>([&] { add(*turn, outcome, pending, Phase::done, results); });
}

void SharedOperation::enqueue(const Announced& announced, log::TurnState& batch) {
  const auto body = body_.load(std::memory_order_acquire);
  const abi::OperationFrame* const frame = frame_.load(std::memory_order_acquire);
  const OperationLayout layout(*frame);
  const std::size_t locals = batch.locals.size();
  for (std::size_t i = 0; i < layout.bytes() + sizeof(std::uint64_t); ++i) batch.locals.append() = {};
  copy_words(batch.locals.begin() + locals, layout.bytes());
  if (slot() != batch.slot || outcome_.load(std::memory_order_seq_cst) != announced.outcome)
    return batch.locals.truncate(locals);
  batch.operations.push_back({.body = body,
                              .frame = frame,
                              .locals = locals,
                              .outcome = &outcome_,
                              .pending = announced.outcome,
                              .blocks = {},
                              .sizes = {},
                              .fate_word = log::QueuedOperation::Fate::open});
}

void SharedOperation::run(const log::QueuedOperation& operation, const log::TurnState& batch, log::TurnState* turn) {
  alignas(OperationLayout::most_alignment) Place place;
  const OperationLayout layout(*operation.frame);
  std::memcpy(place.data(), batch.locals.begin() + operation.locals, layout.bytes());
  run(operation.body, layout, place, turn, *operation.outcome, operation.pending);
}

void SharedOperation::add(log::TurnState& state, std::atomic<std::uint64_t>& outcome, std::uint64_t pending,
                          Phase phase, std::size_t results) {
  const std::uint64_t settled = operation_of(pending) | state.number << phase_bits | static_cast<std::uint64_t>(phase);
  state.settlements.push_back({&outcome, pending, settled, results});
}

}  // namespace perdure::tx
