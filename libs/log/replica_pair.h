#ifndef PERDURE_LOG_REPLICA_PAIR_H
#define PERDURE_LOG_REPLICA_PAIR_H

#include <array>
#include <atomic>
#include <cstdint>

#include "alloc/heap.h"
#include "log/growing_array.h"
#include "log/replica_map.h"
#include "log/replica_word.h"
#include "persist/domain.h"
#include "persist/lines.h"
#include "pool/window.h"
#include "sched/thread_registry.h"

namespace perdure::log {

/// The two copies of one pool (Combined, EuroSys'20, Algorithm 1). A superblock gets its replica when it is first
/// written to; until then both copies are one.
///
/// Invariants, between updates:
/// - The copy that counts is durable, nobody writes to it, and the word in the pool says durably which it is.
/// - The other copy differs from it, in memory, at most where `lag_` says, and on the medium at most there and
///   in blocks that nothing reaches.
/// - Where no transaction runs, the pool itself has what counts, in memory: plain code may look at it.
/// - Who began before the last turn reads the other copy, everybody else the one that counts.
///
/// One thread at a time makes updates, and calls what is not said to be for all.
class ReplicaPair {
 public:
  static constexpr std::size_t chunk_bytes = 32;  // no two blocks share one

  constexpr ReplicaPair() = default;

  bool is_open() const { return heap_ != nullptr; }
  /// Of a pool that has no replicas yet. Durable when it returns.
  void open(alloc::Heap& heap);
  /// The pool has what counts, and no replicas any more. Nobody uses it. Durable when it returns.
  void close();

  /// For all: the copy that a transaction reads which sees what was committed up to `time`. There was one turn at most
  /// since it began, for the next one waits until it has ended. Acquire pairs with the release in `turn`.
  Side side_at(std::uint64_t time) const {
    const std::uint64_t last = last_turn_.load(std::memory_order_acquire);
    const Side side = side_of(last);
    return time_of(last) <= time ? side : other(side);
  }

  /// The copy that counts.
  Side current() const { return side_of(last_turn_.load(std::memory_order_relaxed)); }

  /// Whether nobody reads the other copy any more. \param self  does not.
  bool is_other_free(const sched::ThreadSlot& self);
  /// Makes it hold what the current one holds. Nobody reads it.
  void catch_up();
  bool is_lagging() const { return !is_lag_copied_; }

  /// Gives the superblock around `address` a replica. \returns false when the pool is full.
  bool replicate(const void* address);

  /// \param address  was written to in the copy that does not count, which had caught up. Once a transaction.
  void note_written(std::uintptr_t chunk) { written_.push_back(chunk); }
  /// Of those chunks, which it holds already, only the new values will be flushed.
  template <class IsWritten>
  void forget_lag_of(const IsWritten& is_written) {
    lag_.chunks.remove_if(is_written);
  }
  /// A block in the pool itself, whichever copy is written to.
  void note_block(const void* block, std::size_t bytes);

  /// The other copy counts from now on, and has what was noted: two fences (Algorithm 3, lines 26 to 30).
  /// \param time  of the commit.
  void turn(std::uint64_t time);
  /// What was noted was put back as it was.
  void forget_written();

 private:
  struct Range {
    std::uintptr_t begin;
    std::uintptr_t end;
  };
  /// What was changed in one copy.
  struct Changes {
    GrowingArray<std::uintptr_t> chunks;
    GrowingArray<Range> blocks;
    void clear() {
      chunks.clear();
      blocks.clear();
    }
  };
  static constexpr Side side_of(std::uint64_t turn) { return static_cast<Side>(turn & 1); }
  static constexpr std::uint64_t time_of(std::uint64_t turn) { return turn >> 1; }

  static constexpr std::size_t most_postponed = persistence::is_simulated ? 4 : std::size_t{1} << 14;  // chunks

  void release_replicas();
  void copy_lag(Side to);
  void make_durable(Side side);
  void flush_lag(Side side);
  void postponed_flushes(Side side);
  void flush_chunk(std::uintptr_t chunk, Side side);
  /// What has no replica is in both copies: who made it durable in one did so in the other.
  enum class Parts : std::uint8_t { all, with_replica };
  void flush_block(const Range& block, Side side, Parts parts);
  static void copy_to_twin(const Range& block);
  void write_word(Side side);

  alignas(64) std::atomic<std::uint64_t> last_turn_{0};  // its time, and which copy counts since
  alloc::Heap* heap_ = nullptr;
  /// Of no thread. While the lag is still to be copied, it announces its time: a block that was freed then must not
  /// become something else before (log/announcement.h).
  sched::ThreadSlot* bound_ = nullptr;
  GrowingArray<std::uintptr_t> written_;
  GrowingArray<Range> blocks_;
  Changes lag_;
  bool is_lag_copied_ = true;  // it is still to be flushed
  /// The other copy, by somebody who began before the last turn. Once nobody does, nobody will before the next one.
  bool may_be_read_ = false;
  persistence::StoredLines<256> lines_;
};

/// By slot.
inline constinit std::array<ReplicaPair, pool::slot_count> replica_pairs{};

}  // namespace perdure::log

#endif
