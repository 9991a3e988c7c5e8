#ifndef PERDURE_PERSIST_INSTANCE_H
#define PERDURE_PERSIST_INSTANCE_H

#include <cstddef>

namespace perdure {

/// What code that is compiled once must know of the library it is linked into. Each library defines one `instance`
/// (algorithms/instance.cc).
struct Instance {
  const char* name;         ///< "orec_lazy_ip"
  bool durable;             ///< false: pools are volatile memory
  bool shades;              ///< transactions may run beside a mark (alloc/mark.h)
  std::size_t granularity;  ///< blocks are aligned to and padded to this many bytes: 32 (or 16, 64)
};

extern const Instance instance;

}  // namespace perdure

#endif
