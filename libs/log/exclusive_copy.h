#ifndef PERDURE_LOG_EXCLUSIVE_COPY_H
#define PERDURE_LOG_EXCLUSIVE_COPY_H

#include <bitset>
#include <cstddef>
#include <cstdint>

#include "log/change_history.h"
#include "log/growing_array.h"
#include "log/replica_set.h"
#include "log/turns.h"
#include "persist/lines.h"
#include "sched/thread_registry.h"

namespace perdure::log {

/// A copy of a pool that one thread has to itself for a while (Combined, and the exclusive try-lock of Algorithm 3,
/// step 5, EuroSys'20), beside threads that have others (log/turns.h). Nobody waits for a copy: who finds one taken
/// tries the next one.
///
/// Invariant: a copy that nobody has holds the pool as it was at `State::caught_up_to`. It is the same on the medium
/// but for what turns have changed since `flushed_up_to`, for `undone`, and for what nothing reaches.
class ExclusiveCopy {
 public:
  constexpr ExclusiveCopy() = default;

  bool is_taken() const { return set_ != nullptr; }
  ReplicaSet& set() const { return *set_; }
  Copy number() const { return copy_; }
  /// The one that counts at the time since which the thread runs.
  Copy former() const { return former_; }

  /// Which copies may be taken: the one that lacks least, of those that nobody reads and that do not lack much; or if
  /// another thread has that, any other one.
  enum class Choice : std::uint8_t { latest, any };

  /// \param set   of an open pool.
  /// \param time  since which the thread runs. The copy holds the pool as it was then, unless there were turns since.
  /// \returns false when there is none that nobody has, or reads.
  bool take(ReplicaSet& set, sched::ThreadSlot& self, std::uint64_t time, Choice choice) {
    if (!take_behind(set, self, time, choice)) return false;
    catch_up(time);
    read_no_other();
    return true;
  }
  /// The same, and the copy may lack what came after `holds()`. The caller brings it up to `time`, by `catch_up`, or by
  /// making in it what turns have made, and saying so by `note_holds`. Behind that comes `read_no_other`.
  bool take_behind(ReplicaSet& set, sched::ThreadSlot& self, std::uint64_t time, Choice choice);
  std::uint64_t holds() const { return state().caught_up_to.load(std::memory_order_relaxed); }
  void note_holds(std::uint64_t time) { state().caught_up_to.store(time, std::memory_order_relaxed); }
  void catch_up(std::uint64_t time);
  /// From here on the thread reads no other copy of the pool.
  void read_no_other();
  /// Whether it is not too far behind for anything but to be copied whole.
  bool is_in_reach(std::uint64_t time) const { return state().flushed_up_to + Turns::window > time; }

  /// For who has none, and does not run. \returns whether the latest copy could be taken at this moment.
  static bool is_latest_free(const ReplicaSet& set, const sched::ThreadSlot& self);

  /// What was written to the copy, and the blocks, which the program has written to in the pool itself, become durable
  /// in it when this returns, with all else that it holds.
  /// \param is_written  which chunks were written to: of these only the new values are flushed.
  template <class IsWritten>
  void make_durable(const TurnState& turn, const IsWritten& is_written) {
    collect_postponed(is_written);
    flush(turn);
  }

  /// It counts since `time`. Others may take it when it counts no more.
  void leave_as_current(std::uint64_t time);
  /// What is durable in it is the turn at `time`, but in another copy, in which the same was made.
  void leave_as_other(std::uint64_t time);
  /// Nothing is known of what the medium has of it.
  void forget_flushes() { state().is_unflushed = true; }
  /// All chunks that were written to are as they were.
  void leave_unchanged(const GrowingArray<std::uintptr_t>& undone);

  /// In a forked child: the thread that had it is not there, and nobody writes to a pool of the parent's.
  void forget() { set_ = nullptr; }
  void release() { postponed_.release(); }

 private:
  using Copies = std::bitset<most_copies>;

  bool take_one_of(const sched::ThreadSlot& self, Choice choice);
  static Copy latest_but(const ReplicaSet& set, const Copies& others);
  static bool is_taken(const ReplicaSet& set, Copy copy);
  static bool is_far_behind(const ReplicaSet& set, Copy copy);
  bool try_take(Copy copy, const sched::ThreadSlot& self);
  void let_go();
  ReplicaSet::State& state() const { return set_->states_[copy_]; }
  template <class Function>
  void for_each_replicated(Function&& function) const;
  template <class Function>
  [[nodiscard]] bool for_each_turn(std::uint64_t since, std::uint64_t until, Function&& function) const;
  template <class Function>
  void for_each_unflushed_turn(Function&& function) const;
  void copy_all();
  /// What is to be flushed because it was put off, at the last.
  template <class IsWritten>
  void collect_postponed(const IsWritten& is_written) {
    postponed_.clear();
    const auto collect = [&](std::uintptr_t chunk) {
      if (!is_written(chunk)) postponed_.push_back(chunk);
    };
    for_each_unflushed_turn([&](const TurnState& turn) {
      for (const std::uintptr_t chunk : turn.chunks) collect(chunk);
    });
    for (const std::uintptr_t chunk : state().undone) collect(chunk);
  }
  void flush(const TurnState& turn);
  void flush_postponed();
  void note_flushed();

  ReplicaSet* set_ = nullptr;
  sched::ThreadSlot* self_ = nullptr;
  Copy copy_ = main_copy;
  Copy former_ = main_copy;
  GrowingArray<std::uintptr_t> postponed_;
  persistence::StoredLines<64> lines_;
};

/// Of turns of other pools it has nothing to know.
template <class Function>
bool ExclusiveCopy::for_each_turn(std::uint64_t since, std::uint64_t until, Function&& function) const {
  return turns.for_each_between(since, until, [&](const TurnState& turn) {
    if (turn.slot != TurnState::no_pool && &replica_sets[turn.slot] == set_) function(turn);
  });
}

/// While others make turns, one of these may go out of reach. Then all is flushed, as where it was before.
template <class Function>
void ExclusiveCopy::for_each_unflushed_turn(Function&& function) const {
  if (state().is_unflushed) return;
  const std::uint64_t until = state().caught_up_to.load(std::memory_order_relaxed);
  if (!for_each_turn(state().flushed_up_to, until, function)) state().is_unflushed = true;
}

}  // namespace perdure::log

#endif
