#ifndef PERDURE_OPEN_LEAVE_TO_EXCEPTIONS_H
#define PERDURE_OPEN_LEAVE_TO_EXCEPTIONS_H

#include "alloc/heap.h"

namespace perdure::opening {

/// Before a pool is closed: frees the blocks that exceptions own which have left transactions, and keeps what they hold
/// for these (pool/exception_memory.h).
void leave_to_exceptions(alloc::Heap& heap);

}  // namespace perdure::opening

#endif
