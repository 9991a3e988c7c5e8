#ifndef PERDURE_ALGORITHMS_REPLICA_READS_H
#define PERDURE_ALGORITHMS_REPLICA_READS_H

#include <cstddef>

#include "log/replica_map.h"
#include "log/shared_memory.h"
#include "pool/slots.h"
#include "pool/window.h"

namespace perdure::algorithms {

/// Reads of a pool that has several copies, in the one that a transaction is to read. It remembers where that lies for
/// the superblock where it has read last.
class ReplicaReads {
 public:
  constexpr ReplicaReads() = default;

  /// Before the transaction reads anything, and before its first write: from then on it reads the copy that it writes
  /// to.
  void forget() {
    known_superblock_ = log::ReplicaMap::none;
    known_slot_ = pool::slot_count;
  }

  /// Since then.
  bool are_none() const { return known_slot_ == pool::slot_count; }

  /// \param algorithm  says which copy of the pool that holds an address is to be read: `copy_of(address)`.
  template <class T, class Algorithm>
  T read(const T* address, const Algorithm& algorithm) {
    if (log::ReplicaMap::superblock_of(address) != known_superblock_) [[unlikely]]
      return read_elsewhere(address, algorithm);
    return log::load_shared(log::at_distance(address, known_distance_));
  }

 private:
  /// In another superblock than before, or in one that had no replica.
  template <class T, class Algorithm>
  [[gnu::noinline]] T read_elsewhere(const T* address, const Algorithm& algorithm) {
    const log::Copy copy = copy_of(address, algorithm);
    // Nobody writes to the pool itself while somebody reads it: whether there is a replica makes no difference.
    if (copy == log::main_copy) return read_at(address, 0);
    for (;;) {
      if (const std::ptrdiff_t distance = log::replica_map.distance(address, copy); distance != 0)
        return read_at(address, distance);
      const T value = log::load_shared(address);
      // All copies were one here. The replica is entered before who makes an update stores to the pool itself; so a
      // value of that, which the load acquires, comes with it.
      if (log::replica_map.distance(address, copy) == 0) [[likely]]
        return value;
    }
  }

  template <class T>
  T read_at(const T* address, std::ptrdiff_t distance) {
    known_superblock_ = log::ReplicaMap::superblock_of(address);
    known_distance_ = distance;
    return log::load_shared(log::at_distance(address, distance));
  }

  template <class Algorithm>
  log::Copy copy_of(const void* address, const Algorithm& algorithm) {
    const std::size_t slot = pool::single_slot_of(address);
    if (slot != known_slot_) [[unlikely]] {
      known_slot_ = slot;
      known_copy_ = algorithm.copy_of(address);
    }
    return known_copy_;
  }

  std::size_t known_superblock_ = log::ReplicaMap::none;  // of which the distance is known
  std::ptrdiff_t known_distance_ = 0;                     // to what is read of that one
  std::size_t known_slot_ = pool::slot_count;
  log::Copy known_copy_ = log::main_copy;  // of the pool in that slot
};

}  // namespace perdure::algorithms

#endif
