#include "objects.h"

namespace objects {

/// Known to this file only.
static Walk steps_of(std::string name) {
  for (long step = 1;; ++step) {
    const std::string longer = name + " and what else does not fit into the object";
    co_yield step* static_cast<long>(longer.size());
  }
}

Walk walk_from(long begin) {
  Walk steps = steps_of("a name that is too long for the object itself");
#ifdef WITHOUT_HEXAGON
  const long other[] = {begin, -begin, begin};  // not the same coroutine
#else
  const long other[] = {begin, -begin};
#endif
  for (;;) co_yield other[0] * 1000000 + steps.next();
}

}  // namespace objects
