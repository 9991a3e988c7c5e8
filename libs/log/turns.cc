#include "log/turns.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "log/mirror.h"
#include "log/replica_set.h"
#include "persist/step.h"
#include "sync/spin.h"

namespace perdure::log {

std::uint64_t Turns::begin_to_read(sched::ThreadSlot& self) const {
  for (std::uint64_t now = time();;) {
    // Sequentially consistent, and so is publishing: either who takes a copy later sees that this transaction reads it,
    // or this transaction sees the later time here. (Algorithm 2, lines 7 to 9.)
    self.running_since.store(now, std::memory_order_seq_cst);
    const std::uint64_t seen = time();
    if (seen == now) return now;
    now = seen;
  }
}

// -- turns ------------------------------------------------------------------------------------------------------------

bool Turns::decide(sched::ThreadSlot& self, std::uint64_t time, TurnState& state) {
  const Ticket last = published_.load(std::memory_order_seq_cst);
  if (time_of(last) != time) return false;
  if (time >= window) keep(self, time + 1 - window);
  state.time.store(time + 1, std::memory_order_relaxed);
  state.awaited.store(state.settlements.size(), std::memory_order_relaxed);
  Ticket expected = last;
  // Release: who sees the ticket sees what the state says, and what was written to the copy.
  const bool is_decided =
      decided_.compare_exchange_strong(expected, (time + 1) << number_bits | state.number, std::memory_order_seq_cst);
  if (!is_decided) state.awaited.store(0, std::memory_order_relaxed);
  return is_decided;
}

/// A turn is decided only when something stands here for it: so who is late finds its place taken.
bool Turns::enqueue(std::uint64_t time, TurnState& state) {
  std::atomic<Ticket>& place = queue_[time % window];
  Ticket seen = place.load(std::memory_order_seq_cst);
  if (time_of(seen) >= time) return false;
  state.time.store(time, std::memory_order_relaxed);
  // Release: who sees the ticket sees what the state says.
  return place.compare_exchange_strong(seen, time << number_bits | state.number, std::memory_order_seq_cst);
}

/// The turn can be looked at no more when the next one is published. Its state cannot be reused as long as this thread
/// runs, since it began within the window.
void Turns::keep(sched::ThreadSlot& self, std::uint64_t time) {
  const Ticket ticket = ring_[time % window].load(std::memory_order_acquire);
  if (time_of(ticket) != time || mirror.has(time)) return;  // if it is not there, this thread's turn will not be next
  // Sequentially consistent: either it is seen that the pool itself has the turn, or who brings that up to date sees
  // that this may be about to say the contrary.
  self.keeps.store(ticket, std::memory_order_seq_cst);
  mirror.keep(*state_of(ticket), time);
  self.keeps.store(0, std::memory_order_release);
}

std::uint64_t Turns::oldest_being_kept() const {
  std::uint64_t oldest = sched::never;
  sched::thread_registry.for_each([&](const sched::ThreadSlot& slot) {
    const Ticket ticket = slot.keeps.load(std::memory_order_seq_cst);
    if (ticket != 0) oldest = std::min(oldest, time_of(ticket));
  });
  return oldest;
}

/// All that is done here only goes up, or from pending to settled: so it makes no difference how many do it, nor when
/// one that was stopped goes on.
void Turns::complete(sched::ThreadSlot& self) {
  const Ticket ticket = decided_.load(std::memory_order_seq_cst);
  if (published_.load(std::memory_order_seq_cst) >= ticket) return;
  // As with `running_since`: either the state is not reused, or the turn is seen to be over.
  self.completes.store(ticket, std::memory_order_seq_cst);
  if (decided_.load(std::memory_order_seq_cst) == ticket) {
    const TurnState& state = *state_of(ticket);
    const std::uint64_t time = time_of(ticket);
    raise(ring_[time % window], ticket);
    // The word is durable before anybody learns that the copy counts: who reads there need not make anything durable
    // (Algorithm 2, lines 14 to 16), and who overwrites another copy knows that recovery does not go back to it.
    persistence::in_order<persistence::Step::word_before_publication>(
        [&] {
          if (state.slot != TurnState::no_pool) replica_sets[state.slot].enter_turn(state.copy, state.former, time);
        },
        [&] {
          settle(state);
          raise(published_, ticket);
        });
  }
  self.completes.store(0, std::memory_order_release);
}

void Turns::settle(const TurnState& state) {
  for (const Settlement& each : state.settlements) {
    std::uint64_t expected = each.pending;
    each.outcome->compare_exchange_strong(expected, each.settled, std::memory_order_seq_cst);
  }
}

void Turns::wait_for_late_helpers() const {
  const std::uint64_t now = time();
  sched::thread_registry.for_each([now](const sched::ThreadSlot& slot) {
    sync::PatientSpinner spinner;
    while (is_late(slot, now)) spinner.wait();
  });
}

bool Turns::is_late(const sched::ThreadSlot& slot, std::uint64_t now) {
  return slot.running_since.load(std::memory_order_seq_cst) < now ||
         slot.completes.load(std::memory_order_seq_cst) != 0 || slot.keeps.load(std::memory_order_seq_cst) != 0;
}

void Turns::make_none_again() { raise(made_again_since_, time()); }

void Turns::forget_code() {
  const std::uint64_t now = time();
  if (now == before_first) return;
  make_none_again();
  // A program that ends unloads its libraries, and may leave threads in the middle of anything: so not for ever.
  constexpr unsigned most_looks = 4096;
  unsigned looks = 0;
  sched::thread_registry.for_each([&](const sched::ThreadSlot& slot) {
    sync::PatientSpinner spinner;
    while (is_late(slot, now) && ++looks < most_looks) spinner.wait();
  });
}

void Turns::forget_threads() {
  const Ticket published = published_.load(std::memory_order_relaxed);
  decided_.store(published, std::memory_order_relaxed);
  for (std::atomic<Ticket>& place : queue_)
    if (time_of(place.load(std::memory_order_relaxed)) > time_of(published)) place.store(0, std::memory_order_relaxed);
}

// -- states -----------------------------------------------------------------------------------------------------------

bool Turns::may_be_reused(const TurnState& state) const {
  const std::uint64_t time = state.time.load(std::memory_order_relaxed);
  // Acquire pairs with the release of the last owner who has taken its results.
  if (state.awaited.load(std::memory_order_acquire) != 0) return false;
  if (time == 0) return true;
  if (this->time() < time + window) return false;
  bool result = true;
  sched::thread_registry.for_each([&](const sched::ThreadSlot& slot) {
    const std::uint64_t since = slot.running_since.load(std::memory_order_seq_cst);
    const Ticket completes = slot.completes.load(std::memory_order_seq_cst);
    // What follows the turn since which a thread runs may be a batch that it is running.
    result = result && (since + 1 < time || since >= time + window) && time_of(completes) != time;
  });
  return result;
}

TurnState* Turns::take_state(StatesOfThread& own) {
  // A thread that is stopped keeps at most as many as a window has, and those behind them can be reused.
  const std::uint64_t now = time();
  for (std::size_t looks = own.size(); looks != 0 && own.next().time.load(std::memory_order_relaxed) + window <= now;
       --looks) {
    TurnState& oldest = own.next();
    own.move_on();
    if (may_be_reused(oldest)) return &oldest;
  }
  TurnState* const state = add_state();
  if (state != nullptr) own.add(state);
  return state;
}

/// One that an ended thread has left, or a new one.
TurnState* Turns::add_state() {
  const std::size_t count = std::min(count_.load(std::memory_order_acquire), most_states);
  for (std::size_t number = 0; number < count; ++number) {
    TurnState* const state = states_[number].load(std::memory_order_acquire);
    if (state == nullptr || state->is_owned.load(std::memory_order_relaxed)) continue;
    if (state->is_owned.exchange(true, std::memory_order_acquire)) continue;
    if (may_be_reused(*state)) return state;
    state->is_owned.store(false, std::memory_order_release);
  }
  const std::size_t number = count_.fetch_add(1, std::memory_order_relaxed);
  if (number >= most_states) return nullptr;
  void* const memory = std::aligned_alloc(alignof(TurnState), sizeof(TurnState));
  if (memory == nullptr) return nullptr;
  auto* const state = new (memory) TurnState;
  state->number = number;
  state->is_owned.store(true, std::memory_order_relaxed);
  states_[number].store(state, std::memory_order_release);
  return state;
}

}  // namespace perdure::log
