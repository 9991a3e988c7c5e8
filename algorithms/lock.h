#ifndef PERDURE_ALGORITHMS_LOCK_H
#define PERDURE_ALGORITHMS_LOCK_H

#include "algorithms/lock_eager.h"

namespace perdure::algorithms {

/// What `lock_eager` is without durability: where nothing has to survive, there is nothing to defer either.
template <class Mode>
using Lock = LockEager<Mode>;

}  // namespace perdure::algorithms

#endif
