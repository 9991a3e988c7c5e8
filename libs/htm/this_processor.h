#ifndef PERDURE_HTM_THIS_PROCESSOR_H
#define PERDURE_HTM_THIS_PROCESSOR_H

#ifdef PERDURE_SIMULATED
#include "htm/simulated.h"
#else
#include "htm/rtm.h"
#endif

namespace perdure::htm {

/// What a library's hardware transactions run on, as its persistence domain is chosen (persist/domain.h).
#ifdef PERDURE_SIMULATED
using ThisProcessor = Simulated;
#else
using ThisProcessor = Rtm;
#endif

}  // namespace perdure::htm

#endif
