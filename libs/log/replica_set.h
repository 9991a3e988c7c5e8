#ifndef PERDURE_LOG_REPLICA_SET_H
#define PERDURE_LOG_REPLICA_SET_H

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "alloc/heap.h"
#include "log/change_history.h"
#include "log/growing_array.h"
#include "log/replica_map.h"
#include "log/replica_places.h"
#include "log/replica_word.h"
#include "persist/domain.h"
#include "persist/lines.h"
#include "pool/window.h"
#include "sched/thread_registry.h"
#include "sync/spin.h"

namespace perdure::log {

/// The copies of one pool (Combined, EuroSys'20, Algorithm 1). A superblock gets its replicas when it is first written
/// to; until then all copies are one.
///
/// Of two copies, either may count. Of more, the pool itself never does while it is open: it is *mirrored*, which means
/// that it is brought up to date at the end of each update, since nobody reads it. So an update need not wait for any
/// reader, as long as readers hold no more than all but two of the others.
///
/// Invariants, between updates:
/// - The copy that counts is durable, nobody writes to it, and the word in the pool says durably which it is.
/// - Another copy differs from it, in memory, at most where the history since `copied` says, and on the medium at most
///   where it says so since `flushed`, in `undone`, and in blocks that nothing reaches.
/// - Where no transaction runs, the pool itself has what counts, in memory: plain code may look at it.
/// - Who reads what was committed up to a time reads the copy that counted then. That one is not written to meanwhile.
///
/// One thread at a time makes updates, and calls what is not said to be for all.
class ReplicaSet {
 public:
  static constexpr std::size_t chunk_bytes = replica_chunk_bytes;

  constexpr ReplicaSet() = default;

  /// Before anybody uses the pool. \param copies  how many there are to be; 0: as many as by default.
  void configure(Copy copies);
  /// How many that is; 0: two, or where threads make updates side by side, eight.
  static inline constinit Copy default_copies = 0;

  bool is_open() const { return heap_ != nullptr; }
  /// Of a pool that has no replicas yet. Durable when it returns.
  void open(alloc::Heap& heap);
  /// The pool has what counts, and no replicas any more. Nobody uses it. Durable when it returns.
  void close();

  /// For all: the copy that a transaction reads which sees what was committed up to `time`, as its `running_since`
  /// says. Acquire pairs with the release in `turn`.
  Copy copy_at(std::uint64_t time) const {
    const std::uint64_t last = last_turn_.load(std::memory_order_acquire);
    return time_of(last) <= time ? copy_of(last) : copy_before_last_turn(time);
  }

  /// The copy that counts.
  Copy current() const { return copy_of(last_turn_.load(std::memory_order_acquire)); }
  /// Whether the pool itself is read by plain code only, while no transaction runs.
  bool is_mirrored() const { return copies_ > 2; }

  /// Whether nobody reads the copy, which does not count, any more. \param self  does not.
  bool is_free(Copy copy, const sched::ThreadSlot& self);
  /// For all, at that moment: the same by what readers say.
  bool is_read(Copy copy, const sched::ThreadSlot& self) const;
  enum class Lag : std::uint8_t { some, any };
  /// Of the free copies, the one that lacks least. \param lag  some: not one of which everything would be copied.
  std::optional<Copy> find_free(const sched::ThreadSlot& self, Lag lag);
  bool lags(Copy copy) const;
  /// Makes it hold what the current one holds. Nobody reads it.
  void catch_up(Copy copy);

  /// Gives the superblock around `address` its replicas. \returns false when the pool is full. Of threads that make
  /// updates side by side, one waits here for another: nobody writes to the superblock meanwhile.
  bool replicate(const void* address);

  /// By any thread, any number of times (log/turns.h): `copy` counts since the turn at `time`, durably, where `former`
  /// did before.
  void enter_turn(Copy copy, Copy former, std::uint64_t time);

  /// \param chunk  was written to in a copy that does not count, and had caught up. Once a transaction.
  void note_written(std::uintptr_t chunk) { written_.push_back(chunk); }
  /// A block in the pool itself, whichever copy is written to.
  void note_block(const void* block, std::size_t bytes);
  /// The chunk was written to in the pool itself instead.
  static void take_from_pool(std::uintptr_t chunk, Copy copy);

  /// The copy counts from now on, and has what was noted: two fences (Algorithm 3, lines 26 to 30).
  /// \param time        of the commit.
  /// \param is_written  which chunks were noted: of these, which it may have lacked, only the new values are flushed.
  template <class IsWritten>
  void turn(Copy copy, std::uint64_t time, const IsWritten& is_written) {
    collect_postponed(copy, is_written);
    turn_to(copy, time);
  }
  void turn(Copy copy, std::uint64_t time) { turn(copy, time, written_nothing); }
  /// What was noted was put back as it was.
  void forget_written(Copy copy);

 private:
  friend class ExclusiveCopy;

  /// What is known of a copy. All zero where there is none.
  struct State {
    std::atomic<std::uint64_t> counted_from{0};   ///< 1 + the time since which it counted, the last time; 0: never
    std::atomic<std::uint64_t> counted_until{0};  ///< the time since which another one counts
    std::atomic<bool> is_taken{false};            ///< by a thread, to which it belongs (log/exclusive_copy.h)
    std::atomic<std::uint64_t> caught_up_to{0};   ///< then: it holds what was changed up to this time
    std::uint64_t flushed_up_to = 0;              ///< and the medium up to this one
    bool may_be_read = false;                     ///< by somebody who began between these
    bool lacks_all = false;                       ///< so much that the history does not go back that far
    bool is_unflushed = false;                    ///< whatever it holds may not be on the medium
    ChangeHistory::Position copied;               ///< it holds what was changed before
    ChangeHistory::Position flushed;              ///< and so does the medium
    GrowingArray<std::uintptr_t> undone;          ///< chunks that the medium may have as they were meanwhile

    void forget();
    /// What came before in the history is not needed for it any more.
    const ChangeHistory::Position& needed_from() const { return is_unflushed ? copied : flushed; }
    /// \param end  by value: who copies one member from the other waits as in ChangeHistory::take.
    void has_all_up_to(ChangeHistory::Position end) {
      copied = end;
      flushed = end;
    }
  };
  static constexpr unsigned copy_bits = 5;
  static_assert(most_copies == 1U << copy_bits);
  static constexpr Copy copy_of(std::uint64_t turn) { return static_cast<Copy>(turn % most_copies); }
  static constexpr std::uint64_t time_of(std::uint64_t turn) { return turn >> copy_bits; }
  static constexpr auto written_nothing = [](std::uintptr_t) { return false; };

  static constexpr std::size_t most_postponed = persistence::is_simulated ? 4 : std::size_t{1} << 14;  // chunks

  Copy first_that_counts() const { return is_mirrored() ? 1 : main_copy; }
  Copy copy_before_last_turn(std::uint64_t time) const;
  std::size_t longest_history() const;
  void release_replicas();
  void lift_bound();
  template <class Function>
  void for_each_replicated(Copy copy, Function&& function) const;
  void copy_all(Copy to);
  void copy_since(Copy to, const ChangeHistory::Position& position);
  template <class IsWritten>
  void collect_postponed(Copy copy, const IsWritten& is_written) {
    postponed_.clear();
    const auto collect = [&](std::uintptr_t chunk) {
      if (!is_written(chunk)) postponed_.push_back(chunk);
    };
    const State& state = states_[copy];
    if (!state.is_unflushed)
      for (const std::uintptr_t chunk : history_.chunks_since(state.flushed)) collect(chunk);
    for (const std::uintptr_t chunk : state.undone) collect(chunk);
  }
  void turn_to(Copy copy, std::uint64_t time);
  void make_durable(Copy copy);
  void record_changes(Copy copy);
  void give_up_those_far_behind();
  void flush_lag(Copy copy);
  void postponed_flushes(Copy copy);
  void flush_all(Copy copy);
  void write_word(Copy copy);

  alignas(128) std::atomic<std::uint64_t> last_turn_{0};  // its time, and which copy counts since
  Copy copies_ = 0;                                       // 0 until it is configured: counts as two
  alloc::Heap* heap_ = nullptr;
  /// Of no thread. While anything is still to be copied to the pool itself, or from there, it announces the time of the
  /// last turn: a block that was freed then must not become something else before (log/announcement.h).
  sched::ThreadSlot* bound_ = nullptr;
  std::atomic<std::size_t> replicated_{0};  // superblocks that have replicas
  sync::SpinLock replicating_;
  // Who makes an update stores to these all the time: on other lines than what everybody reads.
  alignas(128) GrowingArray<std::uintptr_t> written_;
  GrowingArray<Range> blocks_;
  GrowingArray<std::uintptr_t> postponed_;  // what is to be flushed beside that
  ChangeHistory history_;
  std::array<State, most_copies> states_{};
  persistence::StoredLines<256> lines_;
};

/// By slot.
inline constinit std::array<ReplicaSet, pool::slot_count> replica_sets{};

}  // namespace perdure::log

#endif
