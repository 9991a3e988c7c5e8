#ifndef PERDURE_PERSIST_CURRENT_H
#define PERDURE_PERSIST_CURRENT_H

#include "persist/adr.h"
#include "persist/simulated.h"

namespace perdure::persist {

/// Whether this is for the crash simulator, where a run must be the same each time.
#ifdef PERDURE_SIMULATED
inline constexpr bool is_simulated = true;
#else
inline constexpr bool is_simulated = false;
#endif

/// The domain of the library, also of code that is not a template over one (pools, allocator, recovery).
#ifdef PERDURE_SIMULATED
using Current = Simulated;
#else
using Current = Adr;
#endif

}  // namespace perdure::persist

#endif
