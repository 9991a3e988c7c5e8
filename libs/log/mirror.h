#ifndef PERDURE_LOG_MIRROR_H
#define PERDURE_LOG_MIRROR_H

#include <array>
#include <atomic>
#include <cstdint>

#include "alloc/reserved_array.h"
#include "log/change_history.h"
#include "log/turn_state.h"
#include "pool/format.h"
#include "sched/thread_registry.h"

namespace perdure::log {

/// Keeps the pools themselves as their copies are that count (log/turns.h): so that plain code finds there what was
/// committed where no transaction runs, and that a block can be reused, which programs write to there.
///
/// One thread at a time does this, for all. Who comes meanwhile need not wait: who is at it looks again when it has let
/// go. So when no transaction runs, nothing is left to do. Others may make turns as fast as it copies them: after some
/// it asks to be relieved, and who comes then waits a moment, to take over.
///
/// Who does not get on, while others make many turns, is taken to be stopped: another one takes over. Each holder has a
/// number, its term. Before each chunk the holder says that it will write to it (ThreadSlot::mirrors), and looks
/// whether its term lasts, sequentially consistently. So who finds a later term knows by that which chunks may still be
/// written to with old values: of each thread that was stopped, one. Blocks there are not reused (`may_be_written_to`).
/// When that thread goes on it copies this chunk again, before its transaction ends.
class Mirror {
 public:
  constexpr Mirror() = default;

  /// Before a pool gets copies. For one thread at a time. \throws std::bad_alloc.
  void begin();

  /// By a thread that says that it runs, so that nobody else is alone. It begins to read anew.
  void catch_up(sched::ThreadSlot& self);
  /// Of a pool that nobody uses: it has all turns up to now, and nobody writes to it.
  void finish();

  /// Of blocks that were freed up to the bound. Sequentially consistent, behind a look at that: who may write there has
  /// said so before it lost its term, or the bound was raised behind that.
  static bool may_be_written_to(const Range& block) {
    return is_any_written([&](std::uintptr_t chunk) { return chunk - block.begin < block.end - block.begin; });
  }

  /// Whether nothing need be kept of the turn at `time`: the pools have it, or will have it by what was kept.
  bool has(std::uint64_t time) const { return time <= time_.load(std::memory_order_seq_cst); }
  /// The state of the turn at `time` is about to go out of reach: what it wrote to is kept if need be.
  void keep(const TurnState& state, std::uint64_t time);

  /// In a forked child.
  void forget_threads();

 private:
  static constexpr std::size_t chunks_of_superblock = pool::superblock_bytes / 32;
  /// What the pool itself lacks of a superblock, besides turns that can be looked at: a bit for each chunk.
  using Lack = std::array<std::atomic<std::uint64_t>, chunks_of_superblock / 64>;
  using Lacks = alloc::ReservedArray<Lack>;

  /// In which superblocks of a slot there are bits, by their numbers in the window.
  struct Kept {
    std::atomic<std::uint64_t> begin{pool::window_bytes / pool::superblock_bytes};  // no superblock's number
    std::atomic<std::uint64_t> end{0};
  };

  enum class Duty : std::uint64_t {
    free,       ///< nobody is at it
    taken,      ///< somebody is
    requested,  ///< and asks to be relieved
    awaited,    ///< and another one waits to take over
    passed_on   ///< to the one that waits
  };

  using Term = std::uint64_t;  // the number of who has the duty, or had it last; 0: nobody
  using Word = std::uint64_t;  // a term and a Duty
  static constexpr unsigned duty_bits = 3;
  static constexpr Word word_of(Term term, Duty duty) { return term << duty_bits | static_cast<Word>(duty); }
  static constexpr Term term_of(Word word) { return word >> duty_bits; }
  static constexpr Duty duty_of(Word word) { return static_cast<Duty>(word & ((1 << duty_bits) - 1)); }
  class Writer;

  /// \returns whether it was so until now.
  bool change(Term term, Duty from, Duty to) {
    Word expected = word_of(term, from);
    return duty_.compare_exchange_strong(expected, word_of(term, to), std::memory_order_seq_cst);
  }
  bool lasts(Term term) const { return term_of(duty_.load(std::memory_order_seq_cst)) == term; }

  Term take_duty(std::uint64_t turns_behind);
  Term take_from(Word seen);
  Term wait_to_take_over(Term term);
  bool is_held_up(std::uint64_t turns_behind);
  bool is_relieved(Term term, unsigned rounds);
  void copy_again(std::uintptr_t chunk, sched::ThreadSlot& self);
  template <class IsOne>
  static bool is_any_written(const IsOne& is_one) {
    bool result = false;
    sched::thread_registry.for_each([&](const sched::ThreadSlot& slot) {
      for (const std::atomic<std::uint64_t>& chunk : slot.mirrors)
        result |= is_one(chunk.load(std::memory_order_seq_cst));
    });
    return result;
  }
  bool is_behind() const;
  bool lacks_kept() const {
    return kept_times_.load(std::memory_order_seq_cst) != copied_times_.load(std::memory_order_seq_cst);
  }
  void raise_bound(std::uint64_t now);
  bool catch_up_once(sched::ThreadSlot& self, Term term);
  std::uint64_t copy_kept(Writer& writer, sched::ThreadSlot& self, std::uint64_t now);
  std::uint64_t copy_kept_of(std::uint64_t superblock, Writer& writer, sched::ThreadSlot& self, std::uint64_t now);

  std::atomic<std::uint64_t> time_{1};  // up to which the pools have all turns
  std::atomic<Word> duty_{word_of(0, Duty::free)};
  /// Of who is at it: as long as this changes, it is not stopped. What others have seen of it, and when that was new.
  alignas(64) std::atomic<std::uint64_t> beats_{0};
  std::atomic<std::uint64_t> beats_seen_{0};
  std::atomic<std::uint64_t> seen_at_{0};
  /// Of no thread: announces `time_`, or less, for what was freed later may still be written to (log/announcement.h).
  alignas(64) std::atomic<sched::ThreadSlot*> bound_{nullptr};
  std::atomic<std::uint64_t> bound_time_{0};  // which that is, or was a moment ago
  std::atomic<Lacks*> lacks_{nullptr};
  std::atomic<std::uint64_t> kept_times_{0};    // that a turn was kept
  std::atomic<std::uint64_t> copied_times_{0};  // of these, all bits were looked at
  std::array<Kept, pool::slot_count> kept_;
};

inline constinit Mirror mirror;

}  // namespace perdure::log

#endif
