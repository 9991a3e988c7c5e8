#ifndef PERDURE_PERSIST_CURRENT_H
#define PERDURE_PERSIST_CURRENT_H

#include "persist/adr.h"
#include "persist/simulated.h"

namespace perdure::persist {

/// The domain of the library, also of code that is not a template over one (pools, allocator, recovery).
#ifdef PERDURE_SIMULATED
using Current = Simulated;
#else
using Current = Adr;
#endif

}  // namespace perdure::persist

#endif
