#ifndef PERDURE_ALGORITHMS_REDO_WRITES_H
#define PERDURE_ALGORITHMS_REDO_WRITES_H

#include <cstdint>
#include <type_traits>

#include "log/durable_records.h"
#include "log/durable_redo.h"
#include "log/redo_memory.h"
#include "log/write_set.h"
#include "tx/algorithm.h"

namespace perdure::algorithms {

/// What a lazy transaction has written, by kind of memory, and how it gets there: pool memory through the log where the
/// mode is durable, other memory by plain write-back. Whatever the mode, an algorithm sees the same interface.
template <class Mode, persist::Domain Domain>
class RedoWrites {
  using PoolWrites = log::WriteSet<typename Mode::PoolEntry>;
  using OtherWrites = log::WriteSet<log::WordEntry>;
  using Durable = std::conditional_t<Mode::self_validating_records, log::DurableRecords<Mode, Domain>,
                                     log::DurableRedo<Mode, Domain>>;

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

  /// `consistent_fill(chunk, words)` reads a chunk of which only a part is written.
  template <tx::Memory M, class T, class ConsistentFill>
  void write(T* address, T value, ConsistentFill&& consistent_fill) {
    log::write_through(to<M>(), address, value, consistent_fill);
  }

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
    if (!pool_.empty()) durable_.announce(pool_, captured, slot, now);
  }
  void withdraw(sched::ThreadSlot& slot) { durable_.withdraw(slot); }

  /// \returns committed, or what keeps the log from being written.
  template <class Captured>
  tx::CommitResult prepare(const Captured& captured) {
    if (pool_.empty()) {
      flush_captured(captured);
      return tx::CommitResult::committed;
    }
    switch (durable_.prepare(pool_, captured)) {
      case log::LogResult::pool_full:
        return tx::CommitResult::pool_full;
      case log::LogResult::several_pools:
        return tx::CommitResult::several_pools;
      case log::LogResult::read_only_pool:
        return tx::CommitResult::read_only_pool;
      case log::LogResult::written:
        break;
    }
    return tx::CommitResult::committed;
  }

  template <class ReleaseLocks>
  void commit(std::uint64_t commit_timestamp, sched::ThreadSlot& slot, ReleaseLocks&& release_locks) {
    // A crash loses other memory anyway, so it needs no place in the order of the durability points; the locks do.
    for (const auto& entry : other_) entry.write_back();
    if (pool_.empty())
      release_locks();
    else
      durable_.commit(pool_, commit_timestamp, slot, release_locks);
  }

  template <class Captured>
  static void flush_captured(const Captured& captured) {
    if constexpr (Mode::durable) Durable::flush_captured(captured);
  }

  void clear() {
    pool_.clear();
    other_.clear();
  }

  void release() {
    pool_.release();
    other_.release();
    durable_.release();
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

  PoolWrites pool_;
  OtherWrites other_;
  Durable durable_;
};

}  // namespace perdure::algorithms

#endif
