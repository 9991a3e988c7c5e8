#include "log/exclusive_copy.h"

#include "log/replica_places.h"
#include "log/turns.h"
#include "persist/durable.h"
#include "persist/step.h"

namespace perdure::log {

bool ExclusiveCopy::take_behind(ReplicaSet& set, sched::ThreadSlot& self, std::uint64_t time, Choice choice) {
  set_ = &set;
  former_ = set.copy_at(time);
  if (!take_one_of(self, choice)) {
    set_ = nullptr;
    return false;
  }
  self_ = &self;
  return true;
}

void ExclusiveCopy::read_no_other() {
  const auto number = static_cast<std::uint64_t>(set_ - replica_sets.data());
  self_->has_copy_of.store(number + 1, std::memory_order_seq_cst);
}

/// Tries those first that lack least, and never has two.
bool ExclusiveCopy::take_one_of(const sched::ThreadSlot& self, Choice choice) {
  Copies tried;
  tried.set(former_);
  for (;;) {
    copy_ = latest_but(*set_, tried);
    if (copy_ == main_copy) return false;
    if (choice == Choice::latest && (is_taken(*set_, copy_) || is_far_behind(*set_, copy_))) return false;
    if (try_take(copy_, self)) return true;
    tried.set(copy_);
  }
}

bool ExclusiveCopy::is_taken(const ReplicaSet& set, Copy copy) {
  return set.states_[copy].is_taken.load(std::memory_order_relaxed);
}

/// Perhaps everything would have to be copied.
bool ExclusiveCopy::is_far_behind(const ReplicaSet& set, Copy copy) {
  return set.states_[copy].caught_up_to.load(std::memory_order_relaxed) + Turns::window / 2 < turns.time();
}

/// The one of all others that lacks least; `main_copy` when there is none.
Copy ExclusiveCopy::latest_but(const ReplicaSet& set, const Copies& others) {
  Copy result = main_copy;
  std::uint64_t most = 0;
  for (Copy copy = set.first_that_counts(); copy < set.copies_; ++copy) {
    const std::uint64_t has = set.states_[copy].caught_up_to.load(std::memory_order_relaxed);
    if (others.test(copy) || (result != main_copy && has <= most)) continue;
    result = copy;
    most = has;
  }
  return result;
}

bool ExclusiveCopy::is_latest_free(const ReplicaSet& set, const sched::ThreadSlot& self) {
  Copies tried;
  tried.set(set.current());
  for (;;) {
    const Copy latest = latest_but(set, tried);
    if (latest == main_copy || is_taken(set, latest) || is_far_behind(set, latest)) return false;
    if (!set.is_read(latest, self)) return true;
    tried.set(latest);
  }
}

/// \returns whether the thread has it, and nobody reads it.
bool ExclusiveCopy::try_take(Copy copy, const sched::ThreadSlot& self) {
  ReplicaSet::State& state = set_->states_[copy];
  // Acquire pairs with the release of who had it before.
  if (state.is_taken.load(std::memory_order_relaxed) || state.is_taken.exchange(true, std::memory_order_acquire))
    return false;
  // Who had it may have made a turn with it that the caller has not seen; then this transaction will not commit. And
  // the copy must not be written to if it counts.
  if (set_->current() != copy && set_->is_free(copy, self)) return true;
  state.is_taken.store(false, std::memory_order_release);
  return false;
}

void ExclusiveCopy::let_go() {
  self_->has_copy_of.store(0, std::memory_order_seq_cst);
  set_->states_[copy_].is_taken.store(false, std::memory_order_release);
  set_ = nullptr;
}

/// Algorithm 3, step 6. The sources are read as they were at `time`, as all that the thread reads.
void ExclusiveCopy::catch_up(std::uint64_t time) {
  const std::uint64_t since = state().caught_up_to.load(std::memory_order_relaxed);
  // It may have counted after `time`, and been replaced: then this transaction does not commit.
  if (since >= time) return;
  bool is_out_of_reach = state().flushed_up_to + Turns::window <= time;
  persistence::perform<persistence::Step::lag_copied>([&] {
    if (is_out_of_reach) return copy_all();
    const bool are_all_there = for_each_turn(since, time, [&](const TurnState& turn) {
      for (const std::uintptr_t chunk : turn.chunks) copy_chunk(chunk, copy_, former_);
      for (const Range& block : turn.blocks) copy_block(block, copy_, former_);
    });
    if (are_all_there) return;
    // Others have made turns meanwhile. This transaction will not, but leaves a copy that lacks nothing.
    is_out_of_reach = true;
    copy_all();
  });
  state().is_unflushed |= is_out_of_reach;
  if (is_out_of_reach) state().flushed_up_to = time;
  state().caught_up_to.store(time, std::memory_order_relaxed);
}

void ExclusiveCopy::copy_all() {
  persistence::perform<persistence::Step::all_copied>(
      [&] { for_each_replicated([&](const Range& superblock) { copy_block(superblock, copy_, former_); }); });
}

/// All that transactions have written to.
template <class Function>
void ExclusiveCopy::for_each_replicated(Function&& function) const {
  const alloc::Superblocks& superblocks = set_->heap_->superblocks();
  for (std::uint64_t number = 0; number < superblocks.count(); ++number) {
    const std::byte* const original = superblocks.address(number);
    if (replica_map.distance(original, copy_) == 0) continue;
    const auto begin = reinterpret_cast<std::uintptr_t>(original);
    function(Range{begin, begin + pool::superblock_bytes});
  }
}

void ExclusiveCopy::flush(const TurnState& turn) {
  persistence::perform<persistence::Step::blocks_copied>([&] {
    for (const Range& block : turn.blocks) copy_block(block, copy_, main_copy);
  });
  // RedoOpt puts off the flushes of what a copy catches up with until here, where they are due.
  flush_postponed();
  for (const std::uintptr_t chunk : turn.chunks) flush_chunk(chunk, copy_, lines_);
  for (const Range& block : turn.blocks)
    flush_block(
        {block.begin, block.begin + persistence::value<persistence::Step::captured_bytes>(block.end - block.begin)},
        copy_, Parts::all, lines_);
  persistence::fence();
  note_flushed();
}

void ExclusiveCopy::flush_postponed() {
  lines_.clear();
  persistence::perform<persistence::Step::postponed_flushes>([&] {
    for (const std::uintptr_t chunk : postponed_) flush_chunk(chunk, copy_, lines_);
    for_each_unflushed_turn([&](const TurnState& turn) {
      for (const Range& block : turn.blocks) flush_block(block, copy_, Parts::with_replica, lines_);
    });
    if (!state().is_unflushed) return;
    persistence::perform<persistence::Step::all_flushed>([&] {
      for_each_replicated([&](const Range& superblock) { flush_block(superblock, copy_, Parts::all, lines_); });
    });
  });
}

void ExclusiveCopy::note_flushed() {
  state().undone.clear();
  state().is_unflushed = false;
  state().flushed_up_to = state().caught_up_to.load(std::memory_order_relaxed);
}

void ExclusiveCopy::leave_as_current(std::uint64_t time) {
  state().flushed_up_to = time;
  state().caught_up_to.store(time, std::memory_order_relaxed);
  state().may_be_read = true;
  let_go();
}

void ExclusiveCopy::leave_as_other(std::uint64_t time) {
  state().flushed_up_to = time;
  note_holds(time);
  let_go();
}

void ExclusiveCopy::leave_unchanged(const GrowingArray<std::uintptr_t>& undone) {
  // The medium may have the lines as they were meanwhile.
  persistence::perform<persistence::Step::undone_lines_flushed>([&] {
    for (const std::uintptr_t chunk : undone) state().undone.push_back(chunk);
  });
  // Where no turn is made in this copy, what is put off would grow without end, or go out of reach.
  const std::uint64_t lag = state().caught_up_to.load(std::memory_order_relaxed) - state().flushed_up_to;
  if (state().undone.size() > ReplicaSet::most_postponed || lag > Turns::window / 2) {
    persistence::perform<persistence::Step::flushes_at_bound>([&] {
      collect_postponed([](std::uintptr_t) { return false; });
      flush_postponed();
      persistence::fence();
    });
    note_flushed();
  }
  let_go();
}

}  // namespace perdure::log
