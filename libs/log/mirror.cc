#include "log/mirror.h"

#include <bit>
#include <chrono>

#include "log/announcement.h"
#include "log/replica_places.h"
#include "log/replica_set.h"
#include "log/turns.h"
#include "persist/domain.h"
#include "sched/hourglass.h"
#include "sync/spin.h"

namespace perdure::log {

namespace {

/// Time, as far as it matters how long a thread has not got on: nanoseconds, or looks.
std::uint64_t moment() {
  if constexpr (persistence::is_simulated) {
    static constinit std::atomic<std::uint64_t> looks{0};
    return looks.fetch_add(1, std::memory_order_relaxed);
  }
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

}  // namespace

/// Writes to the pools themselves, for one round, as long as the term lasts.
class Mirror::Writer {
 public:
  Writer(Mirror& written, sched::ThreadSlot& self, Term term) : mirror_(written), places_(self.mirrors), term_(term) {}

  /// \returns whether the chunk may be written to; and then it has to be. What was written before has become visible by
  /// then, while the term lasted: so its place can be given to the next chunk but one.
  bool begin(std::uintptr_t chunk) {
    if (is_lost_) return false;
    mirror_.beats_.store(mirror_.beats_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    places_[next_].store(chunk, std::memory_order_seq_cst);  // before the look at the term, and behind what was written
    if (!confirm()) return false;
    next_ ^= 1U;
    return true;
  }

  void copy(std::uintptr_t chunk, Copy from) {
    if (begin(chunk)) copy_chunk(chunk, main_copy, from);
  }

  /// \returns whether the term has lasted until everything was visible. Otherwise one chunk may have an old value:
  /// `unconfirmed`, or none if that is 0. The thread goes on to say that it may write there.
  bool finish() {
    if (is_lost_) return false;
    if (unconfirmed() == 0) return true;
    places_[next_].store(0, std::memory_order_seq_cst);
    if (!confirm()) return false;
    places_[next_ ^ 1U].store(0, std::memory_order_release);
    return true;
  }
  std::uintptr_t unconfirmed() const { return places_[next_ ^ 1U].load(std::memory_order_relaxed); }

 private:
  bool confirm() {
    if (mirror_.lasts(term_)) [[likely]]
      return true;
    places_[next_].store(0, std::memory_order_release);  // not written to
    is_lost_ = true;
    return false;
  }

  Mirror& mirror_;
  std::array<std::atomic<std::uint64_t>, 2>& places_;
  const Term term_;
  unsigned next_ = 0;
  bool is_lost_ = false;
};

void Mirror::begin() {
  if (lacks_.load(std::memory_order_relaxed) == nullptr)
    lacks_.store(new Lacks(pool::window_bytes / pool::superblock_bytes), std::memory_order_release);
  if (bound_.load(std::memory_order_relaxed) != nullptr) return;
  sched::ThreadSlot& bound = sched::thread_registry.acquire();
  const std::uint64_t now = time_.load(std::memory_order_relaxed);
  bound_time_.store(now, std::memory_order_relaxed);
  announce(bound, now);
  bound_.store(&bound, std::memory_order_release);
}

void Mirror::catch_up(sched::ThreadSlot& self) {
  constexpr std::uint64_t many = persistence::is_simulated ? 2 : Turns::window / 32;
  // Sequentially consistent: who does not get to do it has published its turn before, and who does it looks for turns
  // afterwards. So one of the two sees that something is left.
  for (unsigned rounds = 1; is_behind(); ++rounds) {
    const Term term = take_duty(many);
    if (term == 0) return;
    if (!catch_up_once(self, term)) continue;
    if (is_relieved(term, rounds)) return;
    change(term, Duty::taken, Duty::free);
  }
}

bool Mirror::is_behind() const { return time_.load(std::memory_order_seq_cst) < turns.time() || lacks_kept(); }

/// \param turns_behind  so many, from which on somebody else who does not get on is taken to be stopped.
/// \returns 0 when somebody else has it.
Mirror::Term Mirror::take_duty(std::uint64_t turns_behind) {
  const Word seen = duty_.load(std::memory_order_seq_cst);
  if (duty_of(seen) == Duty::free) return take_from(seen);
  if (duty_of(seen) == Duty::requested)
    if (const Term term = wait_to_take_over(term_of(seen)); term != 0) return term;
  if (!is_held_up(turns_behind)) return 0;
  return take_from(seen);
}

Mirror::Term Mirror::take_from(Word seen) {
  const Term next = term_of(seen) + 1;
  if (!duty_.compare_exchange_strong(seen, word_of(next, Duty::taken), std::memory_order_seq_cst)) return 0;
  beats_.store(beats_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  return next;
}

/// Not for long: the one that is to be relieved may be stopped.
Mirror::Term Mirror::wait_to_take_over(Term term) {
  constexpr unsigned most_looks = persistence::is_simulated ? 4 : 1 << 12;
  if (!change(term, Duty::requested, Duty::awaited)) return 0;
  const Word awaited = word_of(term, Duty::awaited);
  for (unsigned look = 0; look < most_looks && duty_.load(std::memory_order_seq_cst) == awaited; ++look) sync::pause();
  if (change(term, Duty::awaited, Duty::requested)) return 0;
  return take_from(word_of(term, Duty::passed_on));
}

/// Whether who is at it has not got on for a while, in which others have made many turns. It may be wrong: then both
/// bring the pools up to date for a moment, and the one that was here before notices.
bool Mirror::is_held_up(std::uint64_t turns_behind) {
  constexpr std::uint64_t patience = persistence::is_simulated ? 4 : 2'000'000;  // looks, or nanoseconds
  if (turns.time() < time_.load(std::memory_order_seq_cst) + turns_behind) return false;
  const std::uint64_t now = moment();
  const std::uint64_t beats = beats_.load(std::memory_order_relaxed);
  if (beats_seen_.load(std::memory_order_acquire) == beats)
    return now - seen_at_.load(std::memory_order_relaxed) > patience;
  seen_at_.store(now, std::memory_order_relaxed);
  beats_seen_.store(beats, std::memory_order_release);  // who sees it sees since when
  return false;
}

/// After a round. Who has done it often enough asks for another, and goes on until one waits, or nothing is left.
bool Mirror::is_relieved(Term term, unsigned rounds) {
  constexpr unsigned most_rounds = 4;
  if (rounds < most_rounds) return false;
  change(term, Duty::taken, Duty::requested);
  const Word requested = word_of(term, Duty::requested);
  for (unsigned look = 0; look < 64 && duty_.load(std::memory_order_relaxed) == requested; ++look) sync::pause();
  // Until it is passed on, or nobody waits: whoever comes then finds that it is free, or taken again.
  for (;;) {
    if (change(term, Duty::awaited, Duty::passed_on) || !lasts(term)) return true;
    if (change(term, Duty::requested, Duty::taken)) return false;
  }
}

void Mirror::finish() {
  sched::ThreadSlot& self = sched::thread_registry.acquire();
  sync::PatientSpinner spinner;
  // Who was taken to be stopped may still write to a chunk of the pool.
  while (is_behind() || is_any_written([](std::uintptr_t chunk) { return chunk != 0; })) {
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
/// \returns false when another thread has taken over.
bool Mirror::catch_up_once(sched::ThreadSlot& self, Term term) {
  Writer writer(*this, self, term);
  const std::uint64_t since = time_.load(std::memory_order_relaxed);
  std::uint64_t now = turns.begin_to_read(self);
  const std::uint64_t kept_times = kept_times_.load(std::memory_order_seq_cst);
  if (kept_times != copied_times_.load(std::memory_order_relaxed)) now = copy_kept(writer, self, now);
  const std::uint64_t in_reach = now < Turns::window ? 0 : now - Turns::window;
  // One that goes out of reach meanwhile is kept, and copied in the next round.
  static_cast<void>(turns.for_each_between(std::max(since, in_reach), now, [&](const TurnState& state) {
    if (state.slot == TurnState::no_pool) return;
    const Copy current = replica_sets[state.slot].copy_at(now);
    for (const std::uintptr_t chunk : state.chunks) writer.copy(chunk, current);
  }));
  if (!writer.finish()) {
    if (writer.unconfirmed() != 0) copy_again(writer.unconfirmed(), self);
    return false;
  }
  // What is said here stays true: so it does no harm when this thread is late.
  raise(copied_times_, kept_times);
  raise(time_, now);
  raise_bound(now);
  return true;
}

/// Another thread has taken over, and may have brought the chunk further up to date than this one has then. It is
/// written to by none but who has the duty, and its block does not become another one, until this thread says no more
/// that it may write there.
void Mirror::copy_again(std::uintptr_t chunk, sched::ThreadSlot& self) {
  sync::PatientSpinner spinner;
  for (bool is_done = false; !is_done;) {
    const Term term = take_duty(0);
    if (term == 0) {
      spinner.wait();
      continue;
    }
    const std::uint64_t now = turns.begin_to_read(self);
    copy_chunk(chunk, main_copy, replica_sets[pool::slot_of(reinterpret_cast<const void*>(chunk))].copy_at(now));
    // The exchange comes behind the stores.
    is_done = change(term, Duty::taken, Duty::free);
  }
  for (std::atomic<std::uint64_t>& place : self.mirrors) place.store(0, std::memory_order_release);
}

/// Blocks that were freed up to the bound can become something else. Who is in the middle of keeping a turn may still
/// set bits for what it wrote, which will be copied to the pool itself: so not for longer than that is possible.
void Mirror::raise_bound(std::uint64_t now) {
  sched::ThreadSlot* const bound = bound_.load(std::memory_order_acquire);
  if (bound == nullptr) return;
  const std::uint64_t least = std::min(now, turns.oldest_being_kept() - 1);
  // Behind that: who has set bits says so before it says that it is done.
  if (least <= bound_time_.load(std::memory_order_relaxed) || lacks_kept()) return;
  bound_time_.store(least, std::memory_order_relaxed);
  announce(*bound, least);
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
  kept_times_.fetch_add(1, std::memory_order_seq_cst);
}

/// \returns the time up to which it has read.
std::uint64_t Mirror::copy_kept(Writer& writer, sched::ThreadSlot& self, std::uint64_t now) {
  for (const Kept& kept : kept_)
    for (std::uint64_t superblock = kept.begin.load(std::memory_order_relaxed);
         superblock < kept.end.load(std::memory_order_relaxed); ++superblock)
      now = copy_kept_of(superblock, writer, self, now);
  return now;
}

std::uint64_t Mirror::copy_kept_of(std::uint64_t superblock, Writer& writer, sched::ThreadSlot& self,
                                   std::uint64_t now) {
  std::uintptr_t chunk = pool::window_base + superblock * pool::superblock_bytes;
  for (std::atomic<std::uint64_t>& word : (*lacks_.load(std::memory_order_acquire))[superblock]) {
    for (std::uint64_t bits = word.load(std::memory_order_relaxed); bits != 0; bits &= bits - 1) {
      const auto number = static_cast<std::uint64_t>(std::countr_zero(bits));
      const std::uintptr_t kept = chunk + number * replica_chunk_bytes;
      // Whoever takes over finds the bit, or this thread copies the chunk again.
      if (!writer.begin(kept)) return now;
      word.fetch_and(~(std::uint64_t{1} << number), std::memory_order_acquire);
      // Who was held up may find bits of turns after `now`. Those have gone out of reach since, and so it can be seen.
      if (turns.time() >= now + Turns::window) now = turns.begin_to_read(self);
      const std::size_t slot = pool::slot_of(reinterpret_cast<const void*>(kept));
      copy_chunk(kept, main_copy, replica_sets[slot].copy_at(now));
    }
    chunk += 64 * replica_chunk_bytes;
  }
  return now;
}

void Mirror::forget_threads() {
  duty_.store(word_of(term_of(duty_.load(std::memory_order_relaxed)), Duty::free), std::memory_order_relaxed);
  sched::thread_registry.for_each([](sched::ThreadSlot& slot) {
    for (std::atomic<std::uint64_t>& chunk : slot.mirrors) chunk.store(0, std::memory_order_relaxed);
  });
  bound_.store(nullptr, std::memory_order_relaxed);
  time_.store(turns.time(), std::memory_order_relaxed);
  copied_times_.store(kept_times_.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

}  // namespace perdure::log
