#ifndef PERDURE_ALGORITHMS_REPLICA_WRITES_H
#define PERDURE_ALGORITHMS_REPLICA_WRITES_H

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "algorithms/new_blocks.h"
#include "alloc/heap.h"
#include "log/replica_map.h"
#include "log/replica_pair.h"
#include "log/shared_memory.h"
#include "log/write_set.h"
#include "persist/step.h"
#include "pool/fork.h"
#include "pool/slots.h"
#include "stats/counters.h"
#include "sync/spin.h"
#include "tx/abort.h"
#include "tx/algorithm.h"

namespace perdure::algorithms {

/// What a transaction writes to a pool that has two copies: in the copy that does not count, at once, with the old
/// values of each chunk kept (State and its log, EuroSys'20, Algorithm 1; aggregated as in RedoOpt: a chunk is noted
/// once). The new values need not be kept: the copy has them.
///
/// New blocks are different. The program writes to them where they lie, in the pool itself; since nothing leads there
/// that counts, that does no harm. They are copied to the replica, if that is the copy in question, at the end.
///
/// All functions are called by who has the turn (algorithms/replica_order.h).
class ReplicaWrites {
 public:
  constexpr ReplicaWrites() = default;

  bool empty() const { return pair_ == nullptr; }
  /// Whether a transaction that is repeated in place has nothing to lose.
  bool has_changed_chunks() const { return !chunks_.empty(); }

  /// The copy of the pool that holds `address` which this transaction is to read. \param time  of its beginning.
  log::Side side_of(const void* address, std::uint64_t time) const {
    const std::size_t slot = pool::slot_of(address);
    return pair_ != nullptr && slot == slot_ ? side_ : log::replica_pairs[slot].side_at(time);
  }

  bool is_new(const void* address) { return new_blocks_.contains(address); }

  void note_new_block(void* block, std::size_t bytes, const sched::ThreadSlot& self, std::uint64_t time) {
    use_pool_of(block, self, time);
    new_blocks_.add(block, bytes);
  }

  /// May leave by `abort`.
  template <class T>
  void write(T* address, T value, const sched::ThreadSlot& self, std::uint64_t time) {
    if (is_new(address)) return log::store_shared(address, value);
    use_pool_of(address, self, time);
    const std::uintptr_t place = Chunks::chunk_of(address);
    const Chunk* chunk = chunks_.find(place);
    if (chunk == nullptr) chunk = &keep(place);
    log::store_shared(log::at_distance(address, chunk->distance), value);
  }

  /// From here on, and until the end, writes go to the pool itself: other code is to see them. Nothing was written.
  void go_in_place() { is_in_place_ = true; }
  bool is_in_place() const { return is_in_place_; }

  /// What was written counts, durably. \param captured  the blocks that the transaction has allocated.
  template <class Captured>
  void commit(const Captured& captured, std::uint64_t time) {
    pair_->forget_lag_of([this](std::uintptr_t chunk) { return chunks_.find(chunk) != nullptr; });
    const std::size_t count = persistence::value<persistence::Step::chunks_noted>(chunks_.size());
    for (std::size_t i = 0; i < count; ++i) pair_->note_written(chunks_.entries()[i].address);
    captured.for_each_block([this](const void* block, std::size_t bytes) {
      if (pool::in_window(block)) pair_->note_block(block, bytes);
    });
    pair_->turn(time);
  }

  /// Behind `commit`, when all can see that time: what the other copy lacks. If that is the pool itself, waits for
  /// those who read it still: so where no transaction runs, plain code finds there what was committed. The replicas can
  /// wait until the next update.
  void catch_up(const sched::ThreadSlot& self) {
    if (!pair_->is_lagging()) return;
    if (pair_->current() == log::Side::twin || pair_->is_other_free(self)) catch_up(*pair_, self);
  }

  void roll_back() {
    const std::size_t count = persistence::value<persistence::Step::chunks_put_back>(chunks_.size());
    for (std::size_t i = 0; i < count; ++i) put_back(chunks_.entries()[i]);
    for (const Chunk& chunk : chunks_) pair_->note_written(chunk.address);
    if (pair_ != nullptr) pair_->forget_written();
  }

  void clear() {
    chunks_.clear();
    new_blocks_.clear();
    pair_ = nullptr;
    is_in_place_ = false;
  }

  void release() {
    chunks_.release();
    new_blocks_.release();
  }

 private:
  /// What a chunk held before the transaction.
  struct Chunk {
    static constexpr std::size_t chunk_bytes = log::ReplicaPair::chunk_bytes;
    std::uintptr_t address;
    std::ptrdiff_t distance;  // to the copy that is written to
    std::array<std::uint64_t, chunk_bytes / sizeof(std::uint64_t)> old;
  };
  using Chunks = log::WriteSet<Chunk>;

  void use_pool_of(const void* address, const sched::ThreadSlot& self, std::uint64_t time) {
    const std::size_t slot = pool::slot_of(address);
    if (pair_ != nullptr && slot == slot_) [[likely]]
      return;
    if (pair_ != nullptr) tx::abort(tx::CommitResult::several_pools);
    begin_update(address, slot, self, time);
  }

  [[gnu::noinline]] void begin_update(const void* address, std::size_t slot, const sched::ThreadSlot& self,
                                      std::uint64_t time) {
    if (pool::is_forked_child()) tx::abort(tx::CommitResult::pool_of_parent);
    alloc::Heap* const heap = alloc::heap_of(address);
    if (heap == nullptr) pool::stop_at_closed_pool(address);
    if (heap->mapping().read_only()) tx::abort(tx::CommitResult::read_only_pool);
    log::ReplicaPair& pair = log::replica_pairs[slot];
    if (!pair.is_open()) pair.open(*heap);
    catch_up(pair, self);
    // An update without changes: the pool itself does not count, and can be written to. Nobody reads it.
    if (is_in_place_ && pair.current() == log::Side::main) pair.turn(time);
    pair_ = &pair;
    slot_ = slot;
    side_ = log::other(pair.current());
  }

  static void catch_up(log::ReplicaPair& pair, const sched::ThreadSlot& self) {
    if (!pair.is_other_free(self)) [[unlikely]]
      wait_for_readers(pair, self);
    pair.catch_up();
  }

  /// Of the copy that does not count (the exclusive lock of Algorithm 3, step 5). None of them waits for the turn, nor,
  /// without it, to be alone (RedoOpt::prepare_to_be_alone): so they end.
  [[gnu::noinline]] static void wait_for_readers(log::ReplicaPair& pair, const sched::ThreadSlot& self) {
    stats::counters.quiescence_waits.add(1);
    const auto begin = std::chrono::steady_clock::now();
    sync::PatientSpinner spinner;
    while (!pair.is_other_free(self)) spinner.wait();
    const std::chrono::nanoseconds waited = std::chrono::steady_clock::now() - begin;
    stats::counters.quiescence_nanoseconds.add(static_cast<std::uint64_t>(waited.count()));
  }

  static void put_back(const Chunk& chunk) {
    auto* const to = log::at_distance(reinterpret_cast<std::uint64_t*>(chunk.address), chunk.distance);
    for (std::size_t i = 0; i < chunk.old.size(); ++i) log::store_shared(to + i, chunk.old[i]);
  }

  [[gnu::noinline]] const Chunk& keep(std::uintptr_t place) {
    auto* const address = reinterpret_cast<const std::uint64_t*>(place);
    if (!pair_->replicate(address)) tx::abort(tx::CommitResult::pool_full);
    Chunk& chunk = chunks_.insert(place);
    chunk.distance = side_ == log::Side::main ? 0 : log::replica_map.distance(address);
    std::memcpy(chunk.old.data(), log::at_distance(address, chunk.distance), Chunk::chunk_bytes);
    return chunk;
  }

  Chunks chunks_;
  NewBlocks new_blocks_;
  log::ReplicaPair* pair_ = nullptr;  // of the pool that is written to
  std::size_t slot_ = 0;
  log::Side side_ = log::Side::main;  // that is written to
  bool is_in_place_ = false;
};

}  // namespace perdure::algorithms

#endif
