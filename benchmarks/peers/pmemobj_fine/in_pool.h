#ifndef PERDURE_BENCHMARKS_PEERS_PMEMOBJ_FINE_IN_POOL_H
#define PERDURE_BENCHMARKS_PEERS_PMEMOBJ_FINE_IN_POOL_H

#include <cstddef>
#include <cstdint>

#include "pmemobj/opened_pool.h"

namespace perdure::peers {

/// Where an object lies in the pool, as in a PMEMoid, but without the pool, of which a process has one: half the size,
/// no look-up, and right wherever the pool is mapped.
template <class T>
class InPool {
 public:
  constexpr InPool() = default;
  explicit InPool(const T* object) : offset_(reinterpret_cast<std::uintptr_t>(object) - opened_pool.base) {}

  explicit operator bool() const { return offset_ != 0; }
  bool operator==(const InPool&) const = default;

  /// \pre It is not null.
  T* get() const { return reinterpret_cast<T*>(opened_pool.base + offset_); }
  T* operator->() const { return get(); }
  T& operator[](std::size_t i) const { return get()[i]; }

 private:
  std::uint64_t offset_ = 0;
};

}  // namespace perdure::peers

#endif
