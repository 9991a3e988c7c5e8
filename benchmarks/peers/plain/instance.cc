// What the shared sources ask of a library (algorithms/instance.cc), for a peer that has no algorithm:
//   PERDURE_LIBRARY_NAME     "mutex"
//   PERDURE_LIBRARY_DURABLE  false
#include "persist/instance.h"

namespace perdure {

const Instance instance = {PERDURE_LIBRARY_NAME, PERDURE_LIBRARY_DURABLE, false, 0};

}  // namespace perdure
