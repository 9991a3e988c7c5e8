// Initialisation of static local variables in transactions (docs/abi.md).
#include <cstdint>

#include "abi/entry_points.h"
#include "entry/allocation.h"
#include "tx/abort.h"
#include "tx/static_initialisation.h"

using perdure::tx::static_initialisation;

// Of the C++ runtime (Itanium C++ ABI, section 3.3.3), whose headers do not all declare them.
int guard_acquire(std::uint64_t* guard) asm("__cxa_guard_acquire");
void guard_release(std::uint64_t* guard) asm("__cxa_guard_release");
void guard_abort(std::uint64_t* guard) asm("__cxa_guard_abort");

extern "C" {

int perdure_guard_acquire(std::uint64_t* guard) {
  // A serial transaction runs once, so it waits where it is.
  if (static_initialisation.is_in_progress(guard) && !perdure::entry::is_in_serial_transaction()) {
    static_initialisation.await(guard);
    perdure::tx::abort(perdure::tx::CommitResult::locked);
  }
  // Another thread may begin before this one does. Then this waits, for an initialiser that ends: unless that runs a
  // transaction, for which docs/abi.md gives no guarantee.
  const int is_ours = guard_acquire(guard);
  if (is_ours != 0) static_initialisation.begin();
  return is_ours;
}

void perdure_guard_release(std::uint64_t* guard) {
  static_initialisation.end();
  guard_release(guard);
}

void perdure_guard_abort(std::uint64_t* guard) {
  static_initialisation.end();
  guard_abort(guard);
}

}  // extern "C"
