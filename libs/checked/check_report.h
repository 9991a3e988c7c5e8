#ifndef PERDURE_CHECKED_CHECK_REPORT_H
#define PERDURE_CHECKED_CHECK_REPORT_H

#include <string>

namespace perdure::checked {

/// What a checked program did wrong.
struct Mistake {
  std::string what;
  const char* place;    ///< in the source
  std::string details;  ///< further lines, each indented and ended
  std::string remedy;
};

/// Writes to standard error what is wrong, where, and from where that was called; then ends the program, unless
/// PERDURE_CHECKED=report says that it goes on. Then what is said of one place is said once.
void report(const Mistake& mistake);

/// The same for what may be meant: the program goes on.
void warn(const Mistake& mistake);

/// "0x1000 (the heap)", "0x1000 (in the stack of this thread)", "0x1000 (vtable for Circle)".
std::string describe_volatile(const void* address);

/// "0x200000010020, in pool 'bank.pool' at offset 0x10020, in the root 'bank' of type 'Bank'"; the address is in the
/// window, and may be in a pool that is closed.
std::string describe_in_pool(const void* address);

}  // namespace perdure::checked

#endif
