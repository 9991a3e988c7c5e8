#ifndef PERDURE_ALGORITHMS_HELPED_WRITES_H
#define PERDURE_ALGORITHMS_HELPED_WRITES_H

#include <cstddef>
#include <cstdint>

#include "algorithms/kept_chunks.h"
#include "algorithms/new_blocks.h"
#include "algorithms/written_pool.h"
#include "alloc/heap.h"
#include "log/exclusive_copy.h"
#include "log/mirror.h"
#include "log/replica_set.h"
#include "log/shared_memory.h"
#include "log/turns.h"
#include "pool/slots.h"
#include "sched/hourglass.h"
#include "stats/counters.h"
#include "sync/patience.h"
#include "sync/spin.h"
#include "tx/abort.h"
#include "tx/algorithm.h"

namespace perdure::algorithms {

/// What a transaction writes to a pool while others may do the same: in a copy that it has to itself, at once
/// (Algorithm 3, steps 5 to 9, EuroSys'20). New blocks are different, as in ReplicaWrites: the program writes to them
/// in the pool itself, and they are copied at the end.
///
/// Wherever transactions write, there are replicas: a superblock gets them when the first block in it is handed out, or
/// in a transaction that is alone. So two threads never give the same superblock its replicas while one of them writes.
///
/// \tparam waits_for_latest  an update takes the copy that lacks least, and only after a while any other one.
/// \tparam flushes_all       what it has written does not matter: the whole copy is flushed.
template <bool waits_for_latest, bool flushes_all>
class HelpedWrites {
 public:
  constexpr HelpedWrites() = default;

  bool empty() const { return !copy_.is_taken(); }
  bool has_changed_chunks() const { return !chunks_.empty(); }
  bool is_in_place() const { return is_in_place_; }
  bool is_new(const void* address) { return new_blocks_.contains(address); }

  /// The copy of the pool that holds `address` which this transaction is to read. \param time  of its beginning.
  log::Copy copy_of(const void* address, std::uint64_t time) const {
    const std::size_t slot = pool::slot_of(address);
    if (copy_.is_taken() && slot == slot_) return copy_.number();
    if (is_in_batch_) tx::abort(tx::CommitResult::several_pools);
    return log::replica_sets[slot].copy_at(time);
  }

  // These may leave by `abort`.

  void note_new_block(void* block, std::size_t bytes, sched::ThreadSlot& self, std::uint64_t time) {
    use_pool_of(block, self, time);
    replicate(copy_.set(), log::chunks_of_block(block, bytes));
    new_blocks_.add(block, bytes);
  }

  template <class T>
  void write(T* address, T value, sched::ThreadSlot& self, std::uint64_t time) {
    if (is_new(address)) return log::store_shared(address, value);
    use_pool_of(address, self, time);
    const std::uintptr_t place = KeptChunks::chunk_of(address);
    const KeptChunks::Chunk* chunk = chunks_.find(place);
    if (chunk == nullptr) chunk = &keep(place);
    log::store_shared(log::at_distance(address, chunk->distance), value);
  }

  /// The transaction is alone: other code is to see what it writes. Nothing was written but to new blocks.
  void go_in_place() { is_in_place_ = true; }

  // -- What is written is a batch's, of which each thread that makes it writes the same (algorithms/cx.h). So new
  // blocks are no different: each writes to them in its own copy.

  /// The copy may lack a part of what there was at `time`. The batch uses this pool only. May leave by `abort`.
  log::ExclusiveCopy& begin_batch(std::size_t slot, sched::ThreadSlot& self, std::uint64_t time) {
    if (!copy_.take_behind(log::replica_sets[slot], self, time, Choice::any)) tx::abort(tx::CommitResult::locked);
    slot_ = slot;
    is_in_batch_ = true;
    return copy_;
  }
  void note_block_of_batch(void* block, std::size_t bytes) {
    replicate(log::replica_sets[pool::slot_of(block)], log::chunks_of_block(block, bytes));
  }
  /// What was written so far is what the turn at `time` has written elsewhere.
  void keep_as_made_again(std::uint64_t time) {
    chunks_.clear();
    copy_.note_holds(time);
  }
  /// It is durable, and another thread has made the same the turn at `time`.
  void leave_as_other(std::uint64_t time) {
    copy_.leave_as_other(time);
    clear();
  }

  /// What was written, and is to count in the next turn, when `make_durable` has returned: the physical log of a state
  /// (Algorithm 1, lines 10 to 13), without values.
  /// \param captured  the blocks that the transaction has allocated.
  template <class Captured>
  void fill_in(log::TurnState& state, const Captured& captured) {
    if (empty()) return;
    state.slot = slot_;
    state.copy = copy_.number();
    state.former = copy_.former();
    chunks_.note([&](std::uintptr_t chunk) {
      if (is_in_place_) log::copy_chunk(chunk, copy_.number(), log::main_copy);
      state.chunks.push_back(chunk);
    });
    captured.for_each_block([&](const void* block, std::size_t bytes) {
      if (pool::in_window(block)) state.blocks.push_back(log::chunks_of_block(block, bytes));
    });
  }
  void make_durable(const log::TurnState& state) {
    if (empty()) return;
    if constexpr (flushes_all) copy_.forget_flushes();
    copy_.make_durable(state, [this](std::uintptr_t chunk) { return chunks_.find(chunk) != nullptr; });
  }

  /// The turn at `time` is over, and was this transaction's.
  void end_turn(std::uint64_t time) {
    if (!empty()) copy_.leave_as_current(time);
    clear();
    end_operation();
  }
  /// The thread's next transaction is another operation.
  void end_operation() {
    awaited_ = nullptr;
    takes_any_ = false;
  }

  /// The thread does not run. If it could not have the latest copy, it waits for that, until `is_over()` or for so long
  /// that it need not wait again. What takes longer than that is not worth it: there are other copies.
  template <class IsOver>
  void wait_for_latest_copy(const sched::ThreadSlot& self, const IsOver& is_over) {
    if (awaited_ == nullptr) return;
    sync::Patience patience;
    while (!is_over() && !log::ExclusiveCopy::is_latest_free(*awaited_, self) && !takes_any_)
      takes_any_ = patience.wait();
    awaited_ = nullptr;
  }

  /// Another turn came first (Algorithm 3, lines 38 and 39), or the transaction is aborted.
  void roll_back() {
    if (empty()) return clear();
    chunks_.put_back();
    undone_.clear();
    for (const KeptChunks::Chunk& chunk : chunks_) undone_.push_back(chunk.address);
    copy_.leave_unchanged(undone_);
    clear();
  }

  void abandon() { copy_.forget(); }

  void release() {
    chunks_.release();
    new_blocks_.release();
    undone_.release();
    copy_.release();
  }

 private:
  using Choice = log::ExclusiveCopy::Choice;

  void clear() {
    chunks_.clear();
    new_blocks_.clear();
    is_in_place_ = is_in_batch_ = false;
  }

  static void replicate(log::ReplicaSet& set, const log::Range& block) {
    log::for_each_superblock(block, [&](const log::Range& part) {
      if (!set.replicate(reinterpret_cast<const void*>(part.begin))) tx::abort(tx::CommitResult::pool_full);
    });
  }

  void use_pool_of(const void* address, sched::ThreadSlot& self, std::uint64_t time) {
    const std::size_t slot = pool::slot_of(address);
    if (copy_.is_taken() && slot == slot_) [[likely]]
      return;
    if (copy_.is_taken()) tx::abort(tx::CommitResult::several_pools);
    begin_update(address, slot, self, time);
  }

  [[gnu::noinline]] void begin_update(const void* address, std::size_t slot, sched::ThreadSlot& self,
                                      std::uint64_t time) {
    alloc::Heap& heap = heap_to_write(address);
    log::ReplicaSet& set = log::replica_sets[slot];
    if (!set.is_open()) {
      // Others may be looking at the pool.
      if (!is_in_place_) tx::abort(tx::CommitResult::not_alone);
      set.open(heap);
    }
    take_copy(set, self, time);
    slot_ = slot;
  }

  /// Algorithm 3, step 5. Who finds none makes way: those who hold them up may be stopped, but one is left for whoever
  /// goes on, if there are two for each that is stopped, and three (docs/algorithms.md).
  void take_copy(log::ReplicaSet& set, sched::ThreadSlot& self, std::uint64_t time) {
    const bool takes_any = !waits_for_latest || takes_any_ || is_in_place_;
    if (!copy_.take(set, self, time, takes_any ? Choice::any : Choice::latest)) [[unlikely]] {
      if (!takes_any) let_others_go_first(set);
      wait_for_copy(set, self, time);
    }
    // Nothing was written that would have to be put back, so this is in time.
    if (!log::turns.is_last(time)) tx::abort(tx::CommitResult::locked);
  }

  /// It waits when it does not run: so it keeps no copy from others, and they can make its operation.
  [[noreturn]] void let_others_go_first(log::ReplicaSet& set) {
    awaited_ = &set;
    tx::abort(tx::CommitResult::locked);
  }

  [[gnu::noinline]] void wait_for_copy(log::ReplicaSet& set, sched::ThreadSlot& self, std::uint64_t time) {
    // Not for long: it keeps the copy that it reads from others, and may have one of them do its operation instead.
    constexpr unsigned most_looks = persistence::is_simulated ? 4 : 64;
    stats::counters.quiescence_waits.add(1);
    for (unsigned look = 0; look < most_looks && log::turns.is_last(time); ++look) {
      // Who waits to be alone, waits for this transaction, and may have a copy.
      if (sched::hourglass.is_turned() && !is_in_place_) break;
      sync::pause();
      if (copy_.take(set, self, time, Choice::any)) return;
    }
    tx::abort(tx::CommitResult::locked);
  }

  [[gnu::noinline]] const KeptChunks::Chunk& keep(std::uintptr_t place) {
    const auto* const address = reinterpret_cast<const void*>(place);
    if (log::replica_map.distance(address, 1) == 0) {
      // It was used before the pool had copies. Others may read it meanwhile, or have new blocks there.
      if (!is_in_place_) tx::abort(tx::CommitResult::not_alone);
      if (!copy_.set().replicate(address)) tx::abort(tx::CommitResult::pool_full);
    }
    return chunks_.keep(place, is_in_place_ ? 0 : log::replica_map.distance(address, copy_.number()));
  }

  KeptChunks chunks_;
  NewBlocks new_blocks_;
  log::ExclusiveCopy copy_;
  std::size_t slot_ = 0;
  bool is_in_place_ = false;
  bool is_in_batch_ = false;
  log::ReplicaSet* awaited_ = nullptr;  // of which it could not have the latest copy
  bool takes_any_ = false;              // it has waited long enough
  log::GrowingArray<std::uintptr_t> undone_;
};

}  // namespace perdure::algorithms

#endif
