#ifndef PERDURE_BENCHMARKS_PEERS_OPENED_POOL_H
#define PERDURE_BENCHMARKS_PEERS_OPENED_POOL_H

#include <libpmemobj.h>

#include <cstddef>
#include <cstdint>

namespace perdure::peers {

/// The pool of the process: a benchmark opens one.
struct OpenedPool {
  PMEMobjpool* handle = nullptr;
  std::uintptr_t base = 0;
  std::size_t bytes = 0;

  bool contains(const void* address) const { return reinterpret_cast<std::uintptr_t>(address) - base < bytes; }
};

inline constinit OpenedPool opened_pool;

}  // namespace perdure::peers

#endif
