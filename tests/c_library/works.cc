// As C++.
#include "works.h"
extern "C" const struct named_work PERDURE_WORKS[];
#include "works.inc"
