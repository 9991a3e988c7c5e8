// What is compiled without checks.
#include "checked_test.h"

namespace perdure::testing {

void store_unchecked(const char*& place, const char* text) { place = text; }

}  // namespace perdure::testing
