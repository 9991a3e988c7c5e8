#ifndef PERDURE_LOG_MIRROR_H
#define PERDURE_LOG_MIRROR_H

#include <array>
#include <atomic>
#include <cstdint>

#include "alloc/reserved_array.h"
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
class Mirror {
 public:
  constexpr Mirror() = default;

  /// Before a pool gets copies. For one thread at a time. \throws std::bad_alloc.
  void begin();

  /// By a thread that says that it runs, so that nobody else is alone. It begins to read anew.
  void catch_up(sched::ThreadSlot& self);
  /// Of a pool that nobody uses: it has all turns up to now.
  void finish();

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

  enum class Duty : std::uint32_t {
    free,       ///< nobody is at it
    taken,      ///< somebody is
    requested,  ///< and asks to be relieved
    awaited,    ///< and another one waits to take over
    passed_on   ///< to the one that waits
  };

  bool take_duty();
  bool wait_to_take_over();
  bool is_relieved(unsigned rounds);
  bool is_behind() const;
  void raise_bound(std::uint64_t now);
  void catch_up_once(sched::ThreadSlot& self);
  std::uint64_t copy_kept(sched::ThreadSlot& self, std::uint64_t now);
  std::uint64_t copy_kept_of(std::uint64_t superblock, sched::ThreadSlot& self, std::uint64_t now);

  std::atomic<std::uint64_t> time_{1};  // up to which the pools have all turns
  std::atomic<Duty> duty_{Duty::free};
  /// Of no thread: announces `time_`, or less, for what was freed later may still be written to (log/announcement.h).
  std::atomic<sched::ThreadSlot*> bound_{nullptr};
  std::uint64_t bound_time_ = 0;  // which that is; of the thread that is at it
  std::atomic<Lacks*> lacks_{nullptr};
  std::atomic<bool> has_kept_{false};
  std::array<Kept, pool::slot_count> kept_;
};

inline constinit Mirror mirror;

}  // namespace perdure::log

#endif
