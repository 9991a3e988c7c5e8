#ifndef PERDURE_ENTRY_PARTS_H
#define PERDURE_ENTRY_PARTS_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "perdure/waiting.h"
#include "tx/runner.h"

extern "C" int perdure_transaction(int (*body)(void*), void* argument);  // perdure/c.h

/// perdure/waiting.h over whatever runs transactions.
namespace perdure::entry {

[[noreturn, gnu::cold]] inline void refuse_parts() {
  std::fputs("perdure: the transactions of this library cannot wait, nor undo a part of what they did\n", stderr);
  std::abort();
}

template <class Runner>
int run_part(Runner& runner, int (*body)(void*), void* argument) {
  if constexpr (tx::RunsParts<Runner>)
    return runner.run_part(body, argument);
  else
    refuse_parts();
}

template <class Runner>
[[noreturn]] void retry(Runner& runner) {
  if constexpr (tx::RunsParts<Runner>)
    runner.retry();
  else
    refuse_parts();
}

template <class Runner>
int retry_unless(Runner& runner, const int* cancelled, std::uint64_t nanoseconds) {
  if constexpr (tx::RunsParts<Runner>)
    return runner.retry_unless(cancelled, nanoseconds);
  else
    refuse_parts();
}

template <class Runner>
void note_other_change(Runner& runner, const void* object, const char* place) {
  if constexpr (tx::RunsParts<Runner>) runner.note_other_change(object, place);
}

}  // namespace perdure::entry

#endif
