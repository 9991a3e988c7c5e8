// As C.
#include "works.inc"
