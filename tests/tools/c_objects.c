/* A program in C, for its debug information only. */
#include "c_objects.h"

journal_t c_journal;
