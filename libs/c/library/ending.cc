// Clones of what ends the program in order (libs/abi/c_library.def): its handlers and destructors may run transactions,
// and close pools, so the one that calls this is rolled back before.
#include <stdlib.h>

#include "entry/allocation.h"
#include "tx/failure.h"

namespace {

/// Also outside of transactions, by way of a pointer.
[[noreturn]] void end(void (*ending)(int), int status) {
  if (perdure::entry::is_in_transaction()) perdure::tx::end_program(ending, status);
  ending(status);
  __builtin_unreachable();
}

}  // namespace

extern "C" {

[[noreturn]] void perdure_tm_exit(int status) { end(exit, status); }
[[noreturn]] void perdure_tm_quick_exit(int status) { end(quick_exit, status); }

}  // extern "C"
