#include "log/replica_set.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "log/announcement.h"
#include "log/mirror.h"
#include "log/turns.h"
#include "persist/durable.h"
#include "persist/instance.h"
#include "persist/step.h"
#include "stats/counters.h"

namespace perdure::log {

// -- opening and closing ----------------------------------------------------------------------------------------------

void ReplicaSet::State::forget() {
  counted_from.store(0, std::memory_order_relaxed);
  counted_until.store(0, std::memory_order_relaxed);
  is_taken.store(false, std::memory_order_relaxed);
  caught_up_to.store(0, std::memory_order_relaxed);
  flushed_up_to = 0;
  may_be_read = lacks_all = is_unflushed = false;
  copied = flushed = {};
  undone.clear();
}

void ReplicaSet::configure(Copy copies) {
  if (!is_open()) {
    // In a forked child, a thread that is not there may have had a copy of a pool of the parent's.
    for (State& state : states_) state.forget();
    replicating_.unlock();
  }
  copies_ = copies != 0 ? copies : default_copies;
  if (copies_ == 0) copies_ = instance.facts.helps ? 8 : 2;
  // The pool itself, the copy that counts, and one that an update is made in.
  if (instance.facts.helps) copies_ = std::max(copies_, Copy{3});
  // Who reads before the first update reads the copy that it will not write to, and that is no other one yet.
  last_turn_.store(first_that_counts(), std::memory_order_relaxed);
}

void ReplicaSet::open(alloc::Heap& heap) {
  replica_map.reserve(copies_);
  heap_ = &heap;
  bound_ = &sched::thread_registry.acquire();
  heap.superblocks().use_features(pool::replicated | (is_mirrored() ? pool::more_replicas : 0) |
                                  (instance.facts.helps ? pool::numbered_turns : 0));
  write_word(first_that_counts());
  states_[first_that_counts()].counted_from.store(1, std::memory_order_relaxed);
  states_[first_that_counts()].may_be_read = instance.facts.helps;
  states_[main_copy].is_unflushed = is_mirrored();
  if (!instance.facts.helps) return;
  mirror.begin();
  for (State& state : states_) {
    state.flushed_up_to = turns.time();
    state.caught_up_to.store(state.flushed_up_to, std::memory_order_relaxed);
  }
}

void ReplicaSet::close() {
  if (!is_open()) return;
  if (instance.facts.helps) {
    mirror.finish();
    turns.wait_for_late_helpers();
  }
  persistence::perform<persistence::Step::turned_before_close>([&] {
    if (current() == main_copy) return;
    catch_up(main_copy);
    // The time does not matter, since nobody runs.
    turn(main_copy, 1);
  });
  release_replicas();
  history_.clear();
  for (State& state : states_) state.forget();
  last_turn_.store(first_that_counts(), std::memory_order_relaxed);
  lift_announcement(*bound_);
  sched::thread_registry.release(*std::exchange(bound_, nullptr));
  heap_ = nullptr;
}

void ReplicaSet::release_replicas() {
  alloc::Superblocks& superblocks = heap_->superblocks();
  const std::size_t count = superblocks.replicas().size();
  for (const alloc::Replica& replica : superblocks.replicas())
    replica_map.set(superblocks.address(replica.original), replica.copy, 0);
  superblocks.release_replicas();
  replicated_.store(0, std::memory_order_relaxed);
  stats::replicas.remove(count, count * pool::superblock_bytes);
}

bool ReplicaSet::replicate(const void* address) {
  if (replica_map.distance(address, 1) != 0) return true;
  const std::lock_guard lock(replicating_);
  if (replica_map.distance(address, 1) != 0) return true;
  alloc::Superblocks& superblocks = heap_->superblocks();
  const std::uint64_t original = superblocks.number_of(address);
  std::array<std::uint64_t, alloc::most_replicas_of_one> numbers;
  const auto replicas = std::span(numbers).first(copies_ - 1);
  if (!superblocks.take_replicas(original, replicas)) return false;
  replicated_.fetch_add(1, std::memory_order_relaxed);
  stats::replicas.add(replicas.size(), replicas.size() * pool::superblock_bytes);
  // Behind the copying. Before the first store to the original: who reads a copy there sees its replica afterwards.
  for (Copy copy = 1; copy < copies_; ++copy)
    replica_map.set(address, copy, superblocks.address(replicas[copy - 1]) - superblocks.address(original));
  return true;
}

// -- who reads what ---------------------------------------------------------------------------------------------------

/// The copy that counted at that time. The times at which copies counted do not overlap, so it is the one that did so
/// last up to then. Nobody turns to it, since the caller has said that it reads it; to which of the others somebody
/// turns meanwhile makes no difference, for their times were before, and come after.
Copy ReplicaSet::copy_before_last_turn(std::uint64_t time) const {
  Copy found = first_that_counts();
  std::uint64_t last = 0;
  for (Copy copy = 0; copy < copies_; ++copy) {
    const std::uint64_t from = states_[copy].counted_from.load(std::memory_order_relaxed);
    if (from <= last || from > time + 1) continue;
    found = copy;
    last = from;
  }
  return found;
}

bool ReplicaSet::is_free(Copy copy, const sched::ThreadSlot& self) {
  State& state = states_[copy];
  if (!state.may_be_read) return true;
  // Once nobody reads it, nobody will before it counts again.
  state.may_be_read = !persistence::value<persistence::Step::readers_gone>(!is_read(copy, self));
  return !state.may_be_read;
}

bool ReplicaSet::is_read(Copy copy, const sched::ThreadSlot& self) const {
  const State& state = states_[copy];
  // Sequentially consistent, behind the store of the time: a transaction that is not seen to run here sees that time
  // when it looks at it again (algorithms/replica_order.h), and so reads a copy that counted later.
  bool result = false;
  const std::uint64_t number_from_1 = static_cast<std::uint64_t>(this - replica_sets.data()) + 1;
  const std::uint64_t from = state.counted_from.load(std::memory_order_relaxed) - 1;
  sched::thread_registry.for_each([&](const sched::ThreadSlot& slot) {
    const std::uint64_t since = slot.running_since.load(std::memory_order_seq_cst);
    // Behind that: who has given up its copy, and begins to read, is seen to have none.
    if (slot.has_copy_of.load(std::memory_order_seq_cst) == number_from_1) return;
    result = result || (&slot != &self && since >= from && since < state.counted_until.load(std::memory_order_relaxed));
  });
  return result;
}

std::optional<Copy> ReplicaSet::find_free(const sched::ThreadSlot& self, Lag lag) {
  std::optional<Copy> best;
  const auto lacks_less = [this](Copy one, Copy other) {
    if (states_[one].lacks_all || states_[other].lacks_all) return !states_[one].lacks_all;
    return states_[one].copied.chunks > states_[other].copied.chunks;
  };
  for (Copy copy = first_that_counts(); copy < copies_; ++copy) {
    if (copy == current() || (best && !lacks_less(copy, *best))) continue;
    if (lag == Lag::some && states_[copy].lacks_all) continue;
    if (is_free(copy, self)) best = copy;
  }
  return best;
}

// -- what copies lack -------------------------------------------------------------------------------------------------

bool ReplicaSet::lags(Copy copy) const {
  return copy != current() && (states_[copy].lacks_all || states_[copy].copied != history_.end());
}

/// Algorithm 3, step 6: the physical logs of all states since are one list of places, whose values are those of the
/// copy that counts.
void ReplicaSet::catch_up(Copy copy) {
  if (!lags(copy)) return;
  State& state = states_[copy];
  persistence::perform<persistence::Step::lag_copied>([&] {
    if (state.lacks_all)
      persistence::perform<persistence::Step::all_copied>([&] { copy_all(copy); });
    else
      copy_since(copy, state.copied);
  });
  state.is_unflushed |= state.lacks_all;
  state.lacks_all = false;
  state.copied = history_.end();
  lift_bound();
}

void ReplicaSet::copy_since(Copy to, const ChangeHistory::Position& position) {
  for (const std::uintptr_t chunk : history_.chunks_since(position)) copy_chunk(chunk, to, current());
  // The pool itself has had them from the beginning.
  if (to != main_copy)
    for (const Range& block : history_.blocks_since(position)) copy_block(block, to, current());
}

/// Calls `function(superblock)`, by the addresses that programs know.
template <class Function>
void ReplicaSet::for_each_replicated(Copy copy, Function&& function) const {
  const alloc::Superblocks& superblocks = heap_->superblocks();
  for (const alloc::Replica& replica : superblocks.replicas()) {
    if (replica.copy != std::max(copy, Copy{1})) continue;
    const auto begin = reinterpret_cast<std::uintptr_t>(superblocks.address(replica.original));
    function(Range{begin, begin + pool::superblock_bytes});
  }
}

/// Not to the pool itself: it has new blocks of transactions that run.
void ReplicaSet::copy_all(Copy to) {
  for_each_replicated(to, [&](const Range& superblock) { copy_block(superblock, to, current()); });
}

// -- updates ----------------------------------------------------------------------------------------------------------

void ReplicaSet::note_block(const void* block, std::size_t bytes) { blocks_.push_back(chunks_of_block(block, bytes)); }

void ReplicaSet::take_from_pool(std::uintptr_t chunk, Copy copy) { copy_chunk(chunk, copy, main_copy); }

void ReplicaSet::turn_to(Copy copy, std::uint64_t time) {
  announce(*bound_, time - 1);
  persistence::in_order<persistence::Step::written_before_turn>([&] { make_durable(copy); }, [&] { write_word(copy); });
  State& former = states_[current()];
  former.counted_until.store(time, std::memory_order_relaxed);
  former.may_be_read = true;
  record_changes(copy);
  states_[copy].counted_from.store(time + 1, std::memory_order_relaxed);
  stats::counters.replica_turns.add(1);
  // Release: who reads this copy sees what was written. Behind the fence: what a reader sees is durable, so it needs
  // none itself (Algorithm 2, lines 14 to 16).
  last_turn_.store(time << copy_bits | copy, std::memory_order_release);
  lift_bound();
}

/// Unless something is still to be copied to the pool itself, or from there.
void ReplicaSet::lift_bound() {
  const bool lags_with_pool = is_mirrored() ? lags(main_copy) : lags(main_copy) || lags(1);
  if (!lags_with_pool) lift_announcement(*bound_);
}

void ReplicaSet::make_durable(Copy copy) {
  lines_.clear();
  // Nothing is stored to a line any more that was flushed.
  if (copy != main_copy)
    persistence::perform<persistence::Step::blocks_copied>([&] {
      for (const Range& block : blocks_) copy_block(block, copy, main_copy);
    });
  // RedoOpt postpones the flushes of what a replica catches up with until here, where they are due.
  persistence::perform<persistence::Step::postponed_flushes>([&] { postponed_flushes(copy); });
  for (const std::uintptr_t chunk : written_) flush_chunk(chunk, copy, lines_);
  for (const Range& block : blocks_)
    flush_block(
        {block.begin, block.begin + persistence::value<persistence::Step::captured_bytes>(block.end - block.begin)},
        copy, Parts::all, lines_);
  persistence::fence();
}

/// The copy, which has become durable, has all; each other one lacks what was noted.
void ReplicaSet::record_changes(Copy copy) {
  State& state = states_[copy];
  state.undone.clear();
  state.is_unflushed = false;
  state.has_all_up_to(history_.end());
  give_up_those_far_behind();
  ChangeHistory::Position needed = history_.end();
  for (Copy other = 0; other < copies_; ++other) {
    if (states_[other].lacks_all) continue;
    const ChangeHistory::Position& from = states_[other].needed_from();
    needed = {std::min(needed.chunks, from.chunks), std::min(needed.blocks, from.blocks)};
  }
  history_.forget_before(needed);
  history_.append(written_, blocks_);
  state.has_all_up_to(history_.end());
}

/// To copy them whole takes no longer than to go through all that they lack; and memory has an end.
void ReplicaSet::give_up_those_far_behind() {
  if (!is_mirrored()) return;
  const ChangeHistory::Position end = history_.end();
  for (Copy copy = 1; copy < copies_; ++copy) {
    const ChangeHistory::Position& from = states_[copy].needed_from();
    const std::size_t lag = end.chunks - from.chunks + end.blocks - from.blocks;
    states_[copy].lacks_all = states_[copy].lacks_all || lag > longest_history();
  }
}

std::size_t ReplicaSet::longest_history() const {
  constexpr std::size_t share = 8;
  if constexpr (persistence::is_simulated) return most_postponed;
  return std::max(most_postponed,
                  replicated_.load(std::memory_order_relaxed) * (pool::superblock_bytes / chunk_bytes / share));
}

void ReplicaSet::forget_written(Copy copy) {
  State& state = states_[copy];
  // The medium may have the lines as they were meanwhile.
  persistence::perform<persistence::Step::undone_lines_flushed>([&] {
    for (const std::uintptr_t chunk : written_) state.undone.push_back(chunk);
  });
  written_.clear();
  blocks_.clear();
  if (state.undone.size() > most_postponed) flush_lag(copy);
}

/// Where transactions are rolled back and none commits, what is postponed would grow without end.
void ReplicaSet::flush_lag(Copy copy) {
  persistence::perform<persistence::Step::flushes_at_bound>([&] {
    lines_.clear();
    collect_postponed(copy, written_nothing);
    postponed_flushes(copy);
    persistence::fence();
  });
  State& state = states_[copy];
  state.undone.clear();
  state.is_unflushed = false;
  state.flushed = state.copied;
}

void ReplicaSet::postponed_flushes(Copy copy) {
  const State& state = states_[copy];
  for (const std::uintptr_t chunk : postponed_) flush_chunk(chunk, copy, lines_);
  if (state.is_unflushed) return flush_all(copy);
  for (const Range& block : history_.blocks_since(state.flushed)) flush_block(block, copy, Parts::with_replica, lines_);
}

void ReplicaSet::flush_all(Copy copy) {
  persistence::perform<persistence::Step::all_flushed>([&] {
    for_each_replicated(copy, [&](const Range& superblock) { flush_block(superblock, copy, Parts::all, lines_); });
  });
}

void ReplicaSet::enter_turn(Copy copy, Copy former, std::uint64_t time) {
  ReplicaWord& word = replica_word_of(heap_->mapping());
  word.raise(time, copy);
  persistence::flush(&word, sizeof(word));
  persistence::fence();
  raise(states_[former].counted_until, time);
  raise(states_[copy].counted_from, time + 1);
  raise(last_turn_, time << copy_bits | copy);
}

void ReplicaSet::write_word(Copy copy) {
  ReplicaWord& word = replica_word_of(heap_->mapping());
  word.store(copy);
  persistence::flush(&word, sizeof(word));
  persistence::fence();
}

}  // namespace perdure::log
