#ifndef PERDURE_ALGORITHMS_REPLICA_WRITES_H
#define PERDURE_ALGORITHMS_REPLICA_WRITES_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "algorithms/kept_chunks.h"
#include "algorithms/new_blocks.h"
#include "algorithms/written_pool.h"
#include "alloc/heap.h"
#include "log/replica_map.h"
#include "log/replica_set.h"
#include "log/shared_memory.h"
#include "persist/step.h"
#include "pool/slots.h"
#include "stats/counters.h"
#include "sync/spin.h"
#include "tx/abort.h"
#include "tx/algorithm.h"

namespace perdure::algorithms {

/// What a transaction writes to a pool that has several copies: in one that does not count, at once, with the old
/// values of each chunk kept.
///
/// New blocks are different. The program writes to them where they lie, in the pool itself; since nothing leads there
/// that counts, that does no harm. They are copied to the replica, if the copy in question has one, at the end.
///
/// All functions are called by who has the turn (algorithms/replica_order.h).
class ReplicaWrites {
 public:
  constexpr ReplicaWrites() = default;

  bool empty() const { return set_ == nullptr; }
  /// Whether a transaction that is repeated in place has nothing to lose.
  bool has_changed_chunks() const { return !chunks_.empty(); }

  /// The copy of the pool that holds `address` which this transaction is to read. \param time  of its beginning.
  log::Copy copy_of(const void* address, std::uint64_t time) const {
    const std::size_t slot = pool::slot_of(address);
    return set_ != nullptr && slot == slot_ ? copy_ : log::replica_sets[slot].copy_at(time);
  }

  bool is_new(const void* address) { return new_blocks_.contains(address); }

  /// What is read before the first write may be written to next, which happens in the other copy. Of the first few
  /// places: who reads many writes to few of them.
  void prefetch(const void* address) {
    if (!empty() || prefetched_ == most_prefetched) return;
    ++prefetched_;
    const log::ReplicaSet& set = log::replica_sets[pool::slot_of(address)];
    if (set.is_mirrored()) return;
    const log::Copy other = set.current() == log::main_copy ? 1 : log::main_copy;
    const std::uintptr_t place = log::place_of(reinterpret_cast<std::uintptr_t>(address), other);
    constexpr int to_write = 1;
    __builtin_prefetch(reinterpret_cast<const void*>(place), to_write);
  }

  void note_new_block(void* block, std::size_t bytes, const sched::ThreadSlot& self, std::uint64_t time) {
    use_pool_of(block, self, time);
    new_blocks_.add(block, bytes);
  }

  /// May leave by `abort`.
  template <class T>
  void write(T* address, T value, const sched::ThreadSlot& self, std::uint64_t time) {
    if (is_new(address)) return log::store_shared(address, value);
    use_pool_of(address, self, time);
    const std::uintptr_t place = KeptChunks::chunk_of(address);
    const KeptChunks::Chunk* chunk = chunks_.find(place);
    if (chunk == nullptr) chunk = &keep(place);
    log::store_shared(log::at_distance(address, chunk->distance), value);
  }

  /// From here on, and until the end, writes go to the pool itself: other code is to see them. Nothing was written.
  /// \param time  of its beginning.
  void go_in_place(std::uint64_t time) {
    is_in_place_ = true;
    if (set_ != nullptr) write_in_place(time);  // it has allocated something
  }
  bool is_in_place() const { return is_in_place_; }

  /// What was written counts, durably. \param captured  the blocks that the transaction has allocated.
  template <class Captured>
  void commit(const Captured& captured, std::uint64_t time) {
    chunks_.note([this](std::uintptr_t chunk) { note_written(chunk); });
    captured.for_each_block([this](const void* block, std::size_t bytes) {
      if (pool::in_window(block)) set_->note_block(block, bytes);
    });
    set_->turn(next_, time, [this](std::uintptr_t chunk) { return chunks_.find(chunk) != nullptr; });
  }

  /// Behind `commit`, when all can see that time: the pool itself gets what it lacks, so that where no transaction runs
  /// plain code finds there what was committed. Of two copies, it may be read by those who began before: they are
  /// waited for. Another copy can wait until an update needs it.
  void catch_up(const sched::ThreadSlot& self) {
    if (set_->lags(log::main_copy)) {
      wait_for([&] { return set_->is_free(log::main_copy, self); });
      set_->catch_up(log::main_copy);
    } else if (!set_->is_mirrored()) {
      if (const auto other = set_->find_free(self, log::ReplicaSet::Lag::any)) set_->catch_up(*other);
    }
  }

  void roll_back() {
    chunks_.put_back();
    for (const KeptChunks::Chunk& chunk : chunks_) set_->note_written(chunk.address);
    if (set_ != nullptr) set_->forget_written(next_);
  }

  void clear() {
    chunks_.clear();
    new_blocks_.clear();
    set_ = nullptr;
    is_in_place_ = false;
    prefetched_ = 0;
  }

  void release() {
    chunks_.release();
    new_blocks_.release();
  }

 private:
  static constexpr unsigned most_prefetched = 32;

  void use_pool_of(const void* address, const sched::ThreadSlot& self, std::uint64_t time) {
    const std::size_t slot = pool::slot_of(address);
    if (set_ != nullptr && slot == slot_) [[likely]]
      return;
    if (set_ != nullptr) tx::abort(tx::CommitResult::several_pools);
    begin_update(address, slot, self, time);
  }

  [[gnu::noinline]] void begin_update(const void* address, std::size_t slot, const sched::ThreadSlot& self,
                                      std::uint64_t time) {
    alloc::Heap& heap = heap_to_write(address);
    log::ReplicaSet& set = log::replica_sets[slot];
    if (!set.is_open()) set.open(heap);
    next_ = take_free_copy(set, self);
    set.catch_up(next_);
    set_ = &set;
    slot_ = slot;
    copy_ = next_;
    if (is_in_place_) write_in_place(time);
  }

  void write_in_place(std::uint64_t time) {
    if (!set_->is_mirrored() && next_ != log::main_copy) {
      // An update without changes: the pool itself does not count, and can be written to. Nobody reads it.
      set_->turn(next_, time);
      next_ = log::main_copy;
    }
    copy_ = log::main_copy;
  }

  /// That nobody reads (the exclusive lock of Algorithm 3, step 5), and better one that is not to be copied whole. No
  /// reader waits for the turn, nor, without it, to be alone (RedoOpt::prepare_to_be_alone): so all of them end, unless
  /// they are stopped.
  static log::Copy take_free_copy(log::ReplicaSet& set, const sched::ThreadSlot& self) {
    constexpr unsigned most_looks = persistence::is_simulated ? 2 : 1 << 9;
    unsigned looks = 0;
    std::optional<log::Copy> copy = set.find_free(self, log::ReplicaSet::Lag::some);
    if (!copy) [[unlikely]]
      wait_for([&] {
        using Lag = log::ReplicaSet::Lag;
        return (copy = set.find_free(self, ++looks < most_looks ? Lag::some : Lag::any)).has_value();
      });
    return *copy;
  }

  template <class IsFree>
  static void wait_for(const IsFree& is_free) {
    if (is_free()) [[likely]]
      return;
    wait_long_for(is_free);
  }

  template <class IsFree>
  [[gnu::noinline]] static void wait_long_for(const IsFree& is_free) {
    stats::counters.quiescence_waits.add(1);
    const auto begin = std::chrono::steady_clock::now();
    sync::PatientSpinner spinner;
    while (!is_free()) spinner.wait();
    const std::chrono::nanoseconds waited = std::chrono::steady_clock::now() - begin;
    stats::counters.quiescence_nanoseconds.add(static_cast<std::uint64_t>(waited.count()));
  }

  /// In place, the copy that is to count has yet to get it.
  void note_written(std::uintptr_t chunk) {
    if (copy_ != next_) log::ReplicaSet::take_from_pool(chunk, next_);
    set_->note_written(chunk);
  }

  [[gnu::noinline]] const KeptChunks::Chunk& keep(std::uintptr_t place) {
    auto* const address = reinterpret_cast<const std::uint64_t*>(place);
    if (!set_->replicate(address)) tx::abort(tx::CommitResult::pool_full);
    return chunks_.keep(place, copy_ == log::main_copy ? 0 : log::replica_map.distance(address, copy_));
  }

  KeptChunks chunks_;
  NewBlocks new_blocks_;
  log::ReplicaSet* set_ = nullptr;  // of the pool that is written to
  std::size_t slot_ = 0;
  log::Copy copy_ = log::main_copy;  // that is written to
  log::Copy next_ = log::main_copy;  // that is to count: another one only in place
  bool is_in_place_ = false;
  unsigned prefetched_ = 0;
};

}  // namespace perdure::algorithms

#endif
