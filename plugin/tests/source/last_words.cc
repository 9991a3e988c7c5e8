// What is said before the program ends need not be taken back, so it makes the transaction serial, without being asked
// for. What comes before an exception, or goes on, stays refused.
// RUN: %clangxx -O1 -Rpass-missed=perdure -S -emit-llvm %s -o - 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error: --implicit-check-not=@perdure.refusal
// RUN: %clangxx -O0 -g -S -emit-llvm %s -o /dev/null
// RUN: %clangxx -O1 -fsanitize=address,undefined -S -emit-llvm %s -o /dev/null
// RUN: not %clangxx -O1 -fsanitize=undefined -DTHROWS -S -emit-llvm %s -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=THROWS
// RUN: not %clangxx -O1 -DRETURNS -S -emit-llvm %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=RETURNS
// RUN: not %clangxx -O1 -DTHROWS -S -emit-llvm %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=THROWS
// RUN: not %clangxx -O1 -DJUMPS -S -emit-llvm %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=JUMPS
// RUN: not %clangxx -O1 -DIS_OTHERS -S -emit-llvm %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=IS_OTHERS
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "perdure/perdure.h"

/// Prints, and returns: for those who end the program.
void complain(const char* text, long value) { std::fprintf(stderr, "%s: %ld\n", text, value); }

[[noreturn]] void fail(long value) {
  complain("failed", value);
  if (value == 7) std::exit(1);
  std::abort();
}

void require_positive(const long& value) {
  if (value > 0) return;
  std::cerr << "not positive: " << value << '\n';
  std::terminate();
}

[[noreturn]] void end_elsewhere();

// CHECK: last_words.cc:[[#@LINE+9]]:{{[0-9]+}}: remark: call to 'fprintf' makes the transaction serial
// CHECK-LABEL: define {{.*}} @perdure_tm__Z6changeRl(
// CHECK: call void @perdure_become_serial()
// CHECK: call {{.*}} @fprintf(
// CHECK: call {{.*}} @fputc(
// CHECK: call {{.*}} @perdure_tm_exit(
void change(long& value) {
  if (value == 1) {
    for (int i = 0; i < 2; ++i) {
      std::fprintf(stderr, "%ld", value);
      std::fputc('\n', stderr);
    }
    std::exit(2);
  }
  ++value;
  require_positive(value);
  if (value == 5) std::exit(3);
  if (value > 6) fail(value);
#ifdef RETURNS
  // RETURNS: last_words.cc:[[#@LINE+1]]:{{[0-9]+}}: error: call to 'puts' in a transaction
  if (value == 2) std::puts("two");
#endif
#ifdef THROWS
  if (value == 2) {
    // THROWS: last_words.cc:[[#@LINE+1]]:{{[0-9]+}}: error: call to 'puts' in a transaction
    std::puts("two");
    throw value;
  }
#endif
#ifdef JUMPS
  if (value == 2) {
    static std::jmp_buf to;
    // JUMPS: last_words.cc:[[#@LINE+1]]:{{[0-9]+}}: error: call to 'puts' in a transaction
    std::puts("two");
    std::longjmp(to, 1);
  }
#endif
#ifdef IS_OTHERS
  if (value == 2) {
    // IS_OTHERS: last_words.cc:[[#@LINE+1]]:{{[0-9]+}}: error: call to 'puts' in a transaction
    std::puts("two");
    end_elsewhere();
  }
#endif
}

/// Also by way of a pointer.
void (*changing)(long&) = change;

void transact(long& value) {
  TM_BEGIN {
    change(value);
    changing(value);
    perdure::become_serial();
    std::cerr << value;
  }
  TM_END;
}
