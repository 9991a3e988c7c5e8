#ifndef PERDURE_LOG_TURNS_H
#define PERDURE_LOG_TURNS_H

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "log/states_of_thread.h"
#include "log/turn_state.h"
#include "persist/domain.h"
#include "sched/thread_registry.h"

namespace perdure::log {

/// The order of updates where threads make them side by side, each in a copy of its own, and help each other
/// (Redo-PTM, EuroSys'20, section 5). A turn is an update, or several in one; turns are numbered by the time, over all
/// pools.
///
/// A turn is *decided* by one compare-and-set of a ticket, which names its time and its state (curComb, Algorithm 3,
/// line 30), and then *completed* by whoever comes: its copy counts durably, its operations are settled, and at last it
/// is *published*, which is when readers see it. Nobody decides the next one before that, and to complete one takes a
/// bounded number of steps. So no thread waits for another here.
///
/// States of the last `window` turns can be looked at by who runs since one of these (the ring of Algorithm 3).
class Turns {
 public:
  static constexpr std::uint64_t window = persistence::is_simulated ? 4 : 2048;

  constexpr Turns() = default;

  /// Of the last turn that was published.
  std::uint64_t time() const { return time_of(published_.load(std::memory_order_seq_cst)); }
  /// Whether no later one was decided.
  bool is_last(std::uint64_t time) const { return time_of(decided_.load(std::memory_order_seq_cst)) == time; }

  /// The thread reads what was published up to the time that is returned. Each further look means that another turn was
  /// published meanwhile. (The tries of Algorithm 2, line 2.)
  std::uint64_t begin_to_read(sched::ThreadSlot& self) const;

  /// What was decided is published when it returns.
  void complete(sched::ThreadSlot& self);

  /// A state to fill in, when it was cleared. \param own  of the thread, which has it back when it makes its next turn.
  /// \returns null when there are too many: others have to go on first.
  TurnState* take_state(StatesOfThread& own);

  /// One that has results for the caller, or names itself.
  TurnState& state(std::uint64_t number) const { return *states_[number].load(std::memory_order_acquire); }

  /// The turn that follows `time`, when the thread began to read. \param state  filled in; what it says is durable in
  /// its copy. \returns false when another one came first; then the state may be filled in anew.
  bool decide(sched::ThreadSlot& self, std::uint64_t time, TurnState& state);

  // -- Where it is decided first what the next turn is to be, and then made by anyone (algorithms/cx.h).

  /// What the turn at `time`, which comes next or has been, is to be: a batch of operations, or what its maker has done
  /// already. \returns null while nobody has said it, and when it is out of reach.
  TurnState* queued_at(std::uint64_t time) const {
    const Ticket ticket = queue_[time % window].load(std::memory_order_seq_cst);
    return time_of(ticket) == time ? state_of(ticket) : nullptr;
  }
  /// \param time   of the next turn. \param state  filled in: a batch, or as for `decide`.
  /// \returns false when another one comes there; then the state may be filled in anew.
  bool enqueue(std::uint64_t time, TurnState& state);
  /// Whether all turns after `time` may be made again, as far as what they have used is there.
  bool may_be_made_again_since(std::uint64_t time) const {
    return time >= made_again_since_.load(std::memory_order_seq_cst);
  }
  /// What turns have read so far may soon be something else.
  void make_none_again();
  /// The same for their code, which is unloaded. Nobody is in the middle of it when this returns, unless a thread is
  /// stopped.
  void forget_code();

  /// Calls `function(state)` for each turn after `since`, and up to `now`, when the caller began to read. In this
  /// order. None lies further back than `window`.
  /// \returns false when others have made turns since, of which one has taken the place of one of these: then that was
  /// left out.
  template <class Function>
  [[nodiscard]] bool for_each_between(std::uint64_t since, std::uint64_t now, Function&& function) const {
    bool are_all_there = true;
    for (std::uint64_t time = std::max(since, before_first) + 1; time <= now; ++time) {
      if (TurnState* const state = state_at(time))
        function(*state);
      else
        are_all_there = false;
    }
    return are_all_there;
  }

  /// The oldest turn that a thread is in the middle of keeping what it wrote (log/mirror.h); or `sched::never`.
  std::uint64_t oldest_being_kept() const;

  /// Before a pool goes that nobody uses: who runs in another one may still be completing a turn of this one, in which
  /// it was helping. Nobody is when this returns.
  void wait_for_late_helpers() const;

  /// In a forked child: nothing is decided any more that is not published.
  void forget_threads();

 private:
  using Ticket = std::uint64_t;  // a time, and the number of a state
  // A thread that is stopped keeps as many states as a window has.
  static constexpr unsigned number_bits = 16;
  static constexpr std::size_t most_states = std::size_t{1} << number_bits;
  static constexpr std::uint64_t time_of(Ticket ticket) { return ticket >> number_bits; }
  static constexpr std::size_t number_of(Ticket ticket) { return ticket % most_states; }

  TurnState* state_at(std::uint64_t time) const {
    const Ticket ticket = ring_[time % window].load(std::memory_order_acquire);
    return time_of(ticket) == time ? state_of(ticket) : nullptr;
  }
  TurnState* state_of(Ticket ticket) const { return states_[number_of(ticket)].load(std::memory_order_acquire); }
  void keep(sched::ThreadSlot& self, std::uint64_t time);
  static void settle(const TurnState& state);
  static bool is_late(const sched::ThreadSlot& slot, std::uint64_t now);
  bool may_be_reused(const TurnState& state) const;
  TurnState* add_state();

  static constexpr std::uint64_t before_first = 1;

  alignas(64) std::atomic<Ticket> decided_{Ticket{before_first} << number_bits};
  alignas(64) std::atomic<Ticket> published_{Ticket{before_first} << number_bits};
  std::array<std::atomic<Ticket>, window> ring_{};
  std::array<std::atomic<Ticket>, window> queue_{};
  std::atomic<std::uint64_t> made_again_since_{0};
  std::atomic<std::size_t> count_{0};
  std::array<std::atomic<TurnState*>, most_states> states_{};
};

inline constinit Turns turns;

/// `value` becomes at least `least`, whoever else raises it.
inline void raise(std::atomic<std::uint64_t>& value, std::uint64_t least) {
  std::uint64_t seen = value.load(std::memory_order_seq_cst);
  while (seen < least && !value.compare_exchange_weak(seen, least, std::memory_order_seq_cst)) {
  }
}

}  // namespace perdure::log

#endif
