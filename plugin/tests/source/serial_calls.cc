// What an ordinary transaction cannot call makes it serial, where that is asked for, right before the call; the rest of
// the function is as ever before that. A function that is marked unsafe stays refused.
// RUN: %clangxx -O1 -fplugin-arg-perdure-serial-calls -Rpass-missed=perdure -S -emit-llvm %s -o - 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error: --implicit-check-not=@perdure.refusal
// RUN: not %clangxx -O1 -S -emit-llvm %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: not %clangxx -O1 -fplugin-arg-perdure-serial-calls -DUNSAFE -S -emit-llvm %s -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNSAFE
#include <cstdio>

#include "perdure/perdure.h"

[[perdure::unsafe]] void never();
void unknown();

// CHECK: serial_calls.cc:[[#@LINE+3]]:{{[0-9]+}}: remark: call to 'fprintf' makes the transaction serial
// REFUSED: serial_calls.cc:[[#@LINE+2]]:{{[0-9]+}}: error: call to 'fprintf' in a transaction cannot be made transactional
void fail(long& value) {
  std::fprintf(stderr, "%ld\n", value);
  unknown();
}

// REFUSED: note: or have such calls make the transaction serial: compile with perdure-c++ --serial-calls
// REFUSED-NOT: --serial-calls
// CHECK-LABEL: define {{.*}} @perdure_tm__Z4failRl(
// CHECK: call i64 @perdure_read_u64(
// CHECK-NOT: call
// CHECK: call void @perdure_become_serial()
// CHECK: call {{.*}} @fprintf(
// CHECK-NOT: @perdure_become_serial
// CHECK: call void @_Z7unknownv()
void (*failing)(long&) = fail;  // also by way of a pointer

void change(long& value) {
  TM_BEGIN {
    if (++value < 0) fail(value);
    failing(value);
#ifdef UNSAFE
    // UNSAFE: serial_calls.cc:[[#@LINE+1]]:{{[0-9]+}}: error: call to 'never()'
    never();
#endif
  }
  TM_END;
}
