// Clones of what ends the program in order (libs/abi/c_library.def): its handlers and destructors may run transactions,
// and close pools, so the one that calls this is rolled back before.
#include <err.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cstdint>

#include "abi/entry_points.h"
#include "entry/allocation.h"
#include "tx/failure.h"

namespace {

/// Also outside of transactions, by way of a pointer.
[[noreturn]] void end(void (*ending)(int), int status) {
  if (perdure::entry::is_in_transaction()) perdure::tx::end_program(ending, status);
  ending(status);
  __builtin_unreachable();
}

/// Prints first, once: alone, and what the arguments lead to is in place.
[[noreturn]] void end_with(void (*warning)(const char*, va_list), int status, const char* format, va_list arguments) {
  if (perdure::entry::is_in_transaction()) {
    // What the transaction has written there may not be in place yet, and what waits to be alone changes it.
    const auto error = static_cast<int>(perdure_read_u32(reinterpret_cast<std::uint32_t*>(&errno)));
    perdure_become_serial();
    errno = error;
  }
  warning(format, arguments);
  end(exit, status);
}

}  // namespace

extern "C" {

[[noreturn]] void perdure_tm_exit(int status) { end(exit, status); }
[[noreturn]] void perdure_tm_quick_exit(int status) { end(quick_exit, status); }

[[noreturn]] void perdure_tm_verr(int status, const char* format, va_list arguments) {
  end_with(vwarn, status, format, arguments);
}
[[noreturn]] void perdure_tm_verrx(int status, const char* format, va_list arguments) {
  end_with(vwarnx, status, format, arguments);
}
// The end of a list need not be told of here, where it does nothing, and is not come by.
[[noreturn]] void perdure_tm_err(int status, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  end_with(vwarn, status, format, arguments);
}
[[noreturn]] void perdure_tm_errx(int status, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  end_with(vwarnx, status, format, arguments);
}

}  // extern "C"
