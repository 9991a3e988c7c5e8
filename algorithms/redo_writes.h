#ifndef PERDURE_ALGORITHMS_REDO_WRITES_H
#define PERDURE_ALGORITHMS_REDO_WRITES_H

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "algorithms/log_result.h"
#include "algorithms/serial_writes.h"
#include "log/commit_over_pools.h"
#include "log/durable_commit.h"
#include "log/journal.h"
#include "log/redo_memory.h"
#include "log/shared_memory.h"
#include "log/write_set.h"
#include "pool/private_mappings.h"
#include "tx/algorithm.h"

namespace perdure::algorithms {

/// What a lazy transaction has written, by kind of memory, and how it gets there: pool memory through the log where the
/// mode is durable, other memory by plain write-back. Whatever the mode, an algorithm sees the same interface.
template <class Mode>
class RedoWrites {
  using PoolWrites = log::WriteSet<typename Mode::PoolEntry>;
  using OtherWrites = log::WriteSet<log::WordEntry>;
  using Journal = typename Mode::Journal;
  static_assert(log::Journal<Journal>);
  using Durable = log::DurableCommit<Mode>;
  using OverPools = log::CommitOverPools<Mode>;

 public:
  constexpr RedoWrites() = default;

  /// What is logged as a whole: the alignment and size of a chunk.
  template <tx::Memory M>
  static constexpr std::size_t chunk_bytes =
      Mode::durable && M == tx::Memory::pool ? PoolWrites::chunk_bytes : OtherWrites::chunk_bytes;
  template <tx::Memory M>
  static std::uintptr_t chunk_of(const void* address) {
    return reinterpret_cast<std::uintptr_t>(address) & ~(chunk_bytes<M> - 1);
  }

  /// What the transaction wrote itself; the rest comes from memory by way of `consistent_read(address)`.
  template <tx::Memory M, class T, class ConsistentRead>
  T read(const T* address, ConsistentRead consistent_read) {
    return log::read_through(to<M>(), address, consistent_read);
  }

  /// The same of memory that nobody else writes to meanwhile.
  template <tx::Memory M, class T>
  T read_own(const T* address) {
    return read<M>(address, [](const auto* from) { return log::load_shared(from); });
  }

  /// Whether the transaction may have written some of these bytes.
  template <tx::Memory M>
  bool may_hold(const void* from, std::size_t bytes) {
    const auto& writes = to<M>();
    if (writes.empty()) return false;
    for (auto chunk = chunk_of<M>(from); chunk < reinterpret_cast<std::uintptr_t>(from) + bytes;
         chunk += chunk_bytes<M>)
      if (writes.may_contain(chunk)) return true;
    return false;
  }

  template <tx::Memory M, class T>
  void write(T* address, T value) {
    log::write_through(to<M>(), address, value);
  }

  /// All that a block of a pool holds, which nobody else can reach.
  void log_block(const void* block, std::size_t bytes) { log::add_from_memory(pool_, block, bytes); }

  bool empty() const { return pool_.empty() && other_.empty(); }

  /// Calls `function(chunk, bytes)` for each chunk until it returns false. \returns whether it never did.
  template <class Function>
  bool for_each_chunk(Function&& function) const {
    for (const auto& entry : pool_)
      if (!function(entry.address, PoolWrites::chunk_bytes)) return false;
    for (const auto& entry : other_)
      if (!function(entry.address, OtherWrites::chunk_bytes)) return false;
    return true;
  }

  /// Before the commit timestamp is taken, which is done by a locked instruction.
  template <class Captured>
  void announce(sched::ThreadSlot& slot, const Captured& captured, std::uint64_t now) {
    if (pool_.empty()) return;
    if (!is_in_one_pool()) [[unlikely]]
      return announce_over_pools(slot, now);
    journal_.announce(pool_, captured, slot, now);
  }

  void withdraw(sched::ThreadSlot& slot) {
    if (is_over_pools()) [[unlikely]]
      return over_pools_->withdraw(slot);
    journal_.withdraw(slot);
  }

  /// \returns committed, or what keeps the log from being written.
  template <class Captured>
  tx::CommitResult prepare(const Captured& captured) {
    if (!pool_.empty()) [[likely]]
      return result_of(journal_.prepare(pool_, captured));
    if (is_over_pools()) return result_of(over_pools_->prepare(captured));
    flush_captured(captured);
    return tx::CommitResult::committed;
  }

  template <class ReleaseLocks>
  void commit(std::uint64_t commit_timestamp, sched::ThreadSlot& slot, ReleaseLocks&& release_locks) {
    // A crash loses other memory anyway, so it needs no place in the order of the durability points; the locks do.
    if (!other_.empty()) write_back_other();
    if (!pool_.empty()) [[likely]]
      return Durable::run(journal_, pool_, commit_timestamp, slot, release_locks);
    if (is_over_pools()) return commit_over_pools(commit_timestamp, slot, release_locks);
    release_locks();
  }

  template <class Captured>
  static void flush_captured(const Captured& captured) {
    if constexpr (Mode::durable) Durable::flush_captured(captured);
  }

  /// The thread is not in this process, which was forked. A write-back that had begun is completed, since nobody knows
  /// what it has overwritten; nobody else has written there since, because the locks are released behind it.
  void abandon(pool::PrivateMappings& memory) {
    if (in_place_ != nullptr) in_place_->abandon(memory);
    if (!is_writing_back_.load(std::memory_order_relaxed)) return;
    for (const auto& entry : other_.entries().of_thread_left_behind())
      if (memory.hold(entry.address, OtherWrites::chunk_bytes)) entry.write_back();
  }
  bool is_writing_back() const { return is_writing_back_.load(std::memory_order_relaxed); }

  bool holds_pool_memory() const {
    if (!pool_.empty()) return true;
    for (const auto& entry : other_)
      if (pool::in_window(reinterpret_cast<const void*>(entry.address))) return true;
    return false;
  }

  /// An address of what is to be written to a pool; null if nothing is.
  const void* written_in_pool() const {
    return pool_.empty() ? nullptr : reinterpret_cast<const void*>(pool_.begin()->address);
  }

  using InPlace = SerialWrites<Mode>;

  /// What a serial transaction writes. Made by the thread's first one.
  InPlace& in_place() { return *in_place_; }

  /// The transaction is alone: what it has written goes in place, each part behind its old value, and from here on it
  /// writes by `in_place`. Leaves by `abort` when the log cannot be written.
  void go_in_place() {
    if (in_place_ == nullptr) in_place_ = new InPlace;
    put_in_place<tx::Memory::pool>();
    put_in_place<tx::Memory::other>();
  }

  void clear() {
    pool_.clear();
    other_.clear();
  }

  void release() {
    pool_.release();
    other_.release();
    journal_.release();
    delete over_pools_;
    over_pools_ = nullptr;
    if (in_place_ != nullptr) in_place_->release();
    delete in_place_;
    in_place_ = nullptr;
  }

 private:
  /// Without durability all memory is alike.
  template <tx::Memory M>
  auto& to() {
    if constexpr (Mode::durable && M == tx::Memory::pool)
      return pool_;
    else
      return other_;
  }

  /// The signal fences: what `is_writing_back_` says holds for each state that a fork may find this thread in.
  void write_back_other() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    is_writing_back_.store(true, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    for (const auto& entry : other_) entry.write_back();
    std::atomic_signal_fence(std::memory_order_seq_cst);
    is_writing_back_.store(false, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }

  bool is_in_one_pool() const {
    std::uint64_t differing_bits = 0;
    for (const auto& entry : pool_) differing_bits |= entry.address ^ pool_.begin()->address;
    // Slots are aligned to their size within the window.
    return differing_bits < pool::slot_bytes || is_in_slots_of_one_pool();
  }

  [[gnu::noinline, gnu::cold]] bool is_in_slots_of_one_pool() const {
    const auto slot_of = [](const auto& entry) {
      return pool::slot_of(reinterpret_cast<const void*>(static_cast<std::uintptr_t>(entry.address)));
    };
    return std::all_of(pool_.begin(), pool_.end(),
                       [&](const auto& entry) { return slot_of(entry) == slot_of(*pool_.begin()); });
  }

  template <tx::Memory M>
  void put_in_place() {
    auto& writes = to<M>();
    for (const auto& entry : writes)
      entry.for_each_written([this](auto* address, auto value) { in_place_->template write<M>(address, value); });
    writes.clear();
  }

  // -- several pools: what was written goes there, and `pool_` is empty. So those who write to one pool need not ask.

  bool is_over_pools() const { return pool_.empty() && over_pools_ != nullptr && over_pools_->is_active(); }

  [[gnu::noinline, gnu::cold]] void announce_over_pools(sched::ThreadSlot& slot, std::uint64_t now) {
    if (over_pools_ == nullptr) over_pools_ = new OverPools;
    over_pools_->announce(pool_, slot, now);
    pool_.clear();
  }

  template <class ReleaseLocks>
  [[gnu::noinline, gnu::cold]] void commit_over_pools(std::uint64_t commit_timestamp, sched::ThreadSlot& slot,
                                                      ReleaseLocks&& release_locks) {
    over_pools_->commit(commit_timestamp, slot, release_locks);
  }

  PoolWrites pool_;
  OtherWrites other_;
  std::atomic<bool> is_writing_back_{false};
  Journal journal_;
  OverPools* over_pools_ = nullptr;
  InPlace* in_place_ = nullptr;
};

}  // namespace perdure::algorithms

#endif
