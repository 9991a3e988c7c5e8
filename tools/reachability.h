#ifndef PERDURE_TOOLS_REACHABILITY_H
#define PERDURE_TOOLS_REACHABILITY_H

#include <cstdint>

#include "alloc/heap.h"

namespace perdure::tools {

struct Unreachable {
  std::uint64_t blocks = 0;
  std::uint64_t bytes = 0;
};

/// The blocks in use that no root leads to: a recovery would free them. As conservative as the mark phase, but changes
/// nothing.
Unreachable find_unreachable(alloc::Heap& heap);

}  // namespace perdure::tools

#endif
