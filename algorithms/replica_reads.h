#ifndef PERDURE_ALGORITHMS_REPLICA_READS_H
#define PERDURE_ALGORITHMS_REPLICA_READS_H

#include <cstddef>
#include <cstdint>

#include "log/replica_map.h"
#include "log/shared_memory.h"
#include "pool/slots.h"
#include "pool/window.h"

namespace perdure::algorithms {

/// Reads of a pool that has several copies, in the one that a transaction is to read. It remembers where that lies for
/// the superblock where it has read last; or for the whole pool, if it is the pool itself.
class ReplicaReads {
 public:
  constexpr ReplicaReads() = default;

  /// Before the transaction reads anything, and before its first write: from then on it reads the copy that it writes
  /// to.
  void forget() {
    known_bytes_ = 0;
    known_slot_ = pool::slot_count;
  }

  /// Since then.
  bool are_none() const { return known_slot_ == pool::slot_count; }

  /// Whether `address` is read where others near it were: by `read_known`.
  bool know(const void* address) const {
    return reinterpret_cast<std::uintptr_t>(address) - known_begin_ < known_bytes_;
  }
  template <class T>
  T read_known(const T* address) const {
    return log::load_shared(log::at_distance(address, known_distance_));
  }

  /// \param algorithm  says which copy of the pool that holds an address is to be read: `copy_of(address)`.
  template <class T, class Algorithm>
  T read(const T* address, const Algorithm& algorithm) {
    return know(address) ? read_known(address) : read_elsewhere(address, algorithm);
  }
  /// The same for what is not known.
  template <class T, class Algorithm>
  T read_elsewhere(const T* address, const Algorithm& algorithm) {
    const std::size_t slot = pool::single_slot_of(address);
    if (slot != known_slot_) [[unlikely]] {
      known_slot_ = slot;
      known_copy_ = algorithm.copy_of(address);
    }
    // Nobody writes to the pool itself while somebody reads it: whether there are replicas makes no difference.
    if (known_copy_ == log::main_copy) return read_first(address, pool::slot_address(slot), pool::slot_bytes, 0);
    if (const std::ptrdiff_t distance = log::replica_map.distance(address, known_copy_); distance != 0) [[likely]]
      return read_first(address, log::ReplicaMap::begin_of_superblock(address), pool::superblock_bytes, distance);
    return read_where_all_are_one(address);
  }

 private:
  /// All copies were one here. The replica is entered before who makes an update stores to the pool itself; so a value
  /// of that, which the load acquires, comes with it.
  template <class T>
  [[gnu::noinline]] T read_where_all_are_one(const T* address) {
    const T value = log::load_shared(address);
    const std::ptrdiff_t distance = log::replica_map.distance(address, known_copy_);
    if (distance == 0) [[likely]]
      return value;
    return read_first(address, log::ReplicaMap::begin_of_superblock(address), pool::superblock_bytes, distance);
  }

  template <class T>
  T read_first(const T* address, const void* begin, std::size_t bytes, std::ptrdiff_t distance) {
    known_begin_ = reinterpret_cast<std::uintptr_t>(begin);
    known_bytes_ = bytes;
    known_distance_ = distance;
    return read_known(address);
  }

  std::uintptr_t known_begin_ = 0;     // of what is known how far away it is read
  std::size_t known_bytes_ = 0;        // 0: of nothing
  std::ptrdiff_t known_distance_ = 0;  // that far
  std::size_t known_slot_ = pool::slot_count;
  log::Copy known_copy_ = log::main_copy;  // of the pool in that slot
};

}  // namespace perdure::algorithms

#endif
