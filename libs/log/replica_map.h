#ifndef PERDURE_LOG_REPLICA_MAP_H
#define PERDURE_LOG_REPLICA_MAP_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "alloc/reserved_array.h"
#include "log/replica_word.h"
#include "pool/format.h"
#include "pool/window.h"

namespace perdure::log {

/// Where the other copies are of what lies at an address: for each superblock of the window, the distances to its
/// replicas; 0 where it has none.
class ReplicaMap {
 public:
  constexpr ReplicaMap() = default;

  /// Before `set`: address space for the whole window. For one thread at a time. \param copies  at least 2.
  /// \throws std::bad_alloc.
  void reserve(Copy copies) {
    for (Copy copy = 1; copy < copies; ++copy) {
      std::atomic<Distances*>& distances = distances_[copy - 1];
      if (distances.load(std::memory_order_relaxed) != nullptr) continue;
      // For good: transactions may run until the process ends.
      distances.store(new Distances(none), std::memory_order_release);
    }
  }

  static constexpr std::size_t none = pool::window_bytes / pool::superblock_bytes;  ///< no superblock's number
  /// The number in the window of the superblock around `address`, which is in it.
  static std::size_t superblock_of(const void* address) {
    return (reinterpret_cast<std::uintptr_t>(address) - pool::window_base) / pool::superblock_bytes;
  }

  static const void* begin_of_superblock(const void* address) {
    return static_cast<const std::byte*>(address) - reinterpret_cast<std::uintptr_t>(address) % pool::superblock_bytes;
  }

  /// \param copy  not the pool itself.
  /// Acquire pairs with the release in `set`: who sees a replica sees what it holds.
  std::ptrdiff_t distance(const void* address, Copy copy) const {
    const Distances* const distances = distances_[copy - 1].load(std::memory_order_acquire);
    return distances == nullptr ? 0 : (*distances)[superblock_of(address)].load(std::memory_order_acquire);
  }

  /// \param original  a superblock; its replica, which holds the same, lies that far away. 0: it has none any more.
  void set(const void* original, Copy copy, std::ptrdiff_t distance) {
    Distances& distances = *distances_[copy - 1].load(std::memory_order_relaxed);
    distances[superblock_of(original)].store(distance, std::memory_order_release);
  }

 private:
  using Distances = alloc::ReservedArray<std::atomic<std::ptrdiff_t>>;

  std::array<std::atomic<Distances*>, most_copies - 1> distances_{};
};

/// Programs may run transactions before `main`.
inline constinit ReplicaMap replica_map;

/// Where a copy has what the program knows by `address`.
template <class T>
T* at_distance(T* address, std::ptrdiff_t distance) {
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(address) + static_cast<std::uintptr_t>(distance));
}

}  // namespace perdure::log

#endif
