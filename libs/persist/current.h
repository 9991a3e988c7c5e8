#ifndef PERDURE_PERSIST_CURRENT_H
#define PERDURE_PERSIST_CURRENT_H

#include "persist/adr.h"

namespace perdure::persist {

/// The domain of code that is not a template over one (pools, allocator, recovery).
using Current = Adr;

}  // namespace perdure::persist

#endif
