// Coroutines that no transaction reaches stay whole until they have been optimised; what others are split into has a
// name that says what it does, so that a frame in a pool goes on with nothing else.
// RUN: %clangxx -O2 -emit-llvm -S %s -o - | FileCheck --check-prefix=APART --implicit-check-not=perdure_tm__Z7 %s
// RUN: %clangxx -O2 -emit-llvm -S -DREACHED %s -o %t.ll && FileCheck --check-prefix=REACHED %s <%t.ll
// RUN: %clangxx -O2 -g -emit-llvm -S -DREACHED %s -o %t.again.ll
// RUN: grep -o 'numbers.*resume#[0-9a-f]*' %t.ll >%t.name && grep -F -f %t.name %t.again.ll
// RUN: %clangxx -O2 -emit-llvm -S -DREACHED -DWIDTH=9 %s -o %t.wider.ll
// RUN: grep 'numbers.*resume#' %t.wider.ll && not grep -F -f %t.name %t.wider.ll
// RUN: %clangxx -O2 -flto -emit-llvm -S %s -o - | FileCheck --check-prefix=LINKED %s
// Transactions of another file may reach them when the linker is at work.
// LINKED: "perdure-code-name"="_Z7numbersl.resume#
// RUN: not %clangxx -O2 -c -DREACHED -fplugin-arg-perdure-self-relative %s -o %t.o 2>&1 \
// RUN:   | FileCheck --check-prefix=DISTANCES %s
// DISTANCES: error: coroutines in transactions have native pointers: leave out -fplugin-arg-perdure-self-relative
#include <coroutine>

#include "perdure/transaction.h"

#ifndef WIDTH
#define WIDTH 8
#endif

struct Generator {
  struct promise_type {
    long value = 0;
    Generator get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(long yielded) {
      value = yielded;
      return {};
    }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};

long fill(long* values, int count);

Generator numbers(long end) {
  long values[WIDTH];
  for (long i = 0; i < end; ++i) co_yield fill(values, WIDTH) + values[i % WIDTH];
}

long total;

long sum() {
  long result = 0;
  const Generator generator = numbers(5);
  for (generator.handle.resume(); !generator.handle.done(); generator.handle.resume())
    result += generator.handle.promise().value;
  generator.handle.destroy();
  return result;
}

// APART: define {{.*}}@_Z7numbersl.resume
// REACHED-DAG: c"_Z7numbersl.resume#{{[0-9a-f]+}}\00"
// REACHED-DAG: define internal {{.*}}@perdure_tm__Z7numbersl.resume
void begin() {
#ifdef REACHED
  TM_BEGIN { total += sum(); } TM_END;
#else
  const long found = sum();
  TM_BEGIN { total += found; } TM_END;
#endif
}
[[perdure::safe]] long fill(long* values, int count) { return values[count - 1] = count; }
