#include "log/mirror.h"

#include <bit>

#include "log/announcement.h"
#include "log/replica_places.h"
#include "log/replica_set.h"
#include "log/turns.h"
#include "persist/domain.h"
#include "sched/hourglass.h"
#include "sync/spin.h"

namespace perdure::log {

void Mirror::begin() {
  if (lacks_.load(std::memory_order_relaxed) == nullptr)
    lacks_.store(new Lacks(pool::window_bytes / pool::superblock_bytes), std::memory_order_release);
  if (bound_.load(std::memory_order_relaxed) != nullptr) return;
  sched::ThreadSlot& bound = sched::thread_registry.acquire();
  bound_time_ = time_.load(std::memory_order_relaxed);
  announce(bound, bound_time_);
  bound_.store(&bound, std::memory_order_release);
}

void Mirror::catch_up(sched::ThreadSlot& self) {
  // Sequentially consistent: who does not get to do it has published its turn before, and who does it looks for turns
  // afterwards. So one of the two sees that something is left.
  for (unsigned rounds = 1; is_behind(); ++rounds) {
    if (!take_duty()) return;
    catch_up_once(self);
    if (is_relieved(rounds)) return;
    duty_.store(Duty::free, std::memory_order_seq_cst);
  }
}

bool Mirror::is_behind() const {
  return time_.load(std::memory_order_seq_cst) < turns.time() || has_kept_.load(std::memory_order_seq_cst);
}

bool Mirror::take_duty() {
  Duty seen = Duty::free;
  if (duty_.compare_exchange_strong(seen, Duty::taken, std::memory_order_seq_cst)) return true;
  return seen == Duty::requested && wait_to_take_over();
}

/// Not for long: the one that is to be relieved may be stopped.
bool Mirror::wait_to_take_over() {
  constexpr unsigned most_looks = persistence::is_simulated ? 4 : 1 << 12;
  Duty expected = Duty::requested;
  if (!duty_.compare_exchange_strong(expected, Duty::awaited, std::memory_order_seq_cst)) return false;
  for (unsigned look = 0; look < most_looks && duty_.load(std::memory_order_seq_cst) == Duty::awaited; ++look)
    sync::pause();
  expected = Duty::awaited;
  if (duty_.compare_exchange_strong(expected, Duty::requested, std::memory_order_seq_cst)) return false;
  duty_.store(Duty::taken, std::memory_order_seq_cst);
  return true;
}

/// After a round. Who has done it often enough asks for another, and goes on until one waits, or nothing is left.
bool Mirror::is_relieved(unsigned rounds) {
  constexpr unsigned most_rounds = 4;
  if (rounds < most_rounds) return false;
  Duty expected = Duty::taken;
  duty_.compare_exchange_strong(expected, Duty::requested, std::memory_order_seq_cst);
  for (unsigned look = 0; look < 64 && duty_.load(std::memory_order_relaxed) == Duty::requested; ++look) sync::pause();
  // Until it is passed on, or nobody waits: whoever comes then finds that it is free, or taken again.
  for (;;) {
    expected = Duty::awaited;
    if (duty_.compare_exchange_strong(expected, Duty::passed_on, std::memory_order_seq_cst)) return true;
    expected = Duty::requested;
    if (duty_.compare_exchange_strong(expected, Duty::taken, std::memory_order_seq_cst)) return false;
  }
}

void Mirror::finish() {
  sched::ThreadSlot& self = sched::thread_registry.acquire();
  sync::PatientSpinner spinner;
  while (is_behind()) {
    turns.begin_to_read(self);
    // Who is alone writes to pools themselves.
    if (!sched::hourglass.is_turned()) catch_up(self);
    self.running_since.store(sched::never, std::memory_order_release);
    spinner.wait();
  }
  sched::thread_registry.release(self);
}

/// Each place gets the value of the copy that counts at `now`: so the order does not matter, nor that a place comes
/// twice. New blocks are there from the beginning.
void Mirror::catch_up_once(sched::ThreadSlot& self) {
  const std::uint64_t since = time_.load(std::memory_order_relaxed);
  std::uint64_t now = turns.begin_to_read(self);
  if (has_kept_.exchange(false, std::memory_order_seq_cst)) now = copy_kept(self, now);
  const std::uint64_t in_reach = now < Turns::window ? 0 : now - Turns::window;
  // One that goes out of reach meanwhile is kept, and copied in the next round.
  static_cast<void>(turns.for_each_between(std::max(since, in_reach), now, [&](const TurnState& state) {
    if (state.slot == TurnState::no_pool) return;
    const Copy current = replica_sets[state.slot].copy_at(now);
    for (const std::uintptr_t chunk : state.chunks) copy_chunk(chunk, main_copy, current);
  }));
  if (now > since) time_.store(now, std::memory_order_seq_cst);
  raise_bound(now);
}

/// Blocks that were freed up to the bound can become something else. Who is in the middle of keeping a turn may still
/// set bits for what it wrote, which will be copied to the pool itself: so not for longer than that is possible.
void Mirror::raise_bound(std::uint64_t now) {
  sched::ThreadSlot* const bound = bound_.load(std::memory_order_acquire);
  if (bound == nullptr) return;
  const std::uint64_t least = std::min(now, turns.oldest_being_kept() - 1);
  // Behind that: who has set bits says so before it says that it is done.
  if (least > bound_time_ && !has_kept_.load(std::memory_order_seq_cst)) announce(*bound, bound_time_ = least);
}

// -- turns that are out of reach --------------------------------------------------------------------------------------

void Mirror::keep(const TurnState& state, std::uint64_t time) {
  if (state.slot == TurnState::no_pool || has(time)) return;
  Lacks& lacks = *lacks_.load(std::memory_order_acquire);
  for (const std::uintptr_t chunk : state.chunks) {
    const std::uint64_t superblock = ReplicaMap::superblock_of(reinterpret_cast<const void*>(chunk));
    const std::uint64_t number = chunk % pool::superblock_bytes / replica_chunk_bytes;
    // Release: who takes the bit sees that the turn is out of reach.
    lacks[superblock][number / 64].fetch_or(std::uint64_t{1} << number % 64, std::memory_order_release);
    Kept& kept = kept_[pool::single_slot_of(reinterpret_cast<const void*>(chunk))];
    raise(kept.end, superblock + 1);
    std::uint64_t begin = kept.begin.load(std::memory_order_relaxed);
    while (superblock < begin && !kept.begin.compare_exchange_weak(begin, superblock, std::memory_order_relaxed)) {
    }
  }
  has_kept_.store(true, std::memory_order_seq_cst);
}

/// \returns the time up to which it has read.
std::uint64_t Mirror::copy_kept(sched::ThreadSlot& self, std::uint64_t now) {
  for (const Kept& kept : kept_)
    for (std::uint64_t superblock = kept.begin.load(std::memory_order_relaxed);
         superblock < kept.end.load(std::memory_order_relaxed); ++superblock)
      now = copy_kept_of(superblock, self, now);
  return now;
}

std::uint64_t Mirror::copy_kept_of(std::uint64_t superblock, sched::ThreadSlot& self, std::uint64_t now) {
  std::uintptr_t chunk = pool::window_base + superblock * pool::superblock_bytes;
  for (std::atomic<std::uint64_t>& word : (*lacks_.load(std::memory_order_acquire))[superblock]) {
    std::uint64_t bits = word.load(std::memory_order_relaxed);
    if (bits != 0) bits = word.exchange(0, std::memory_order_acquire);
    // Who was held up may find bits of turns after `now`. Those have gone out of reach since, and so it can be seen.
    if (bits != 0 && turns.time() >= now + Turns::window) now = turns.begin_to_read(self);
    for (; bits != 0; bits &= bits - 1) {
      const std::uintptr_t kept = chunk + static_cast<std::uint64_t>(std::countr_zero(bits)) * replica_chunk_bytes;
      const std::size_t slot = pool::slot_of(reinterpret_cast<const void*>(kept));
      copy_chunk(kept, main_copy, replica_sets[slot].copy_at(now));
    }
    chunk += 64 * replica_chunk_bytes;
  }
  return now;
}

void Mirror::forget_threads() {
  duty_.store(Duty::free, std::memory_order_relaxed);
  bound_.store(nullptr, std::memory_order_relaxed);
  time_.store(turns.time(), std::memory_order_relaxed);
}

}  // namespace perdure::log
