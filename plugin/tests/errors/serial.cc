// What only serial transactions may call, in others.
// RUN: not %clangxx -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %clangxx -O2 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
#include <cstdio>

#include "perdure/perdure.h"

[[perdure::serial]] void show(long);
[[perdure::unsafe]] void never();

void both_ways(long* value, bool is_serial) {
  TM_BEGIN {
    // CHECK-DAG: serial.cc:[[@LINE+2]]:5: error: call to 'show(long)' in a transaction that is not serial, but it is marked {{..}}perdure::serial]]
    // CHECK-DAG: serial.cc:[[@LINE+1]]:5: note: call it in TM_SERIAL … TM_END, or behind perdure::become_serial() in the same function
    show(*value);
    if (is_serial) {
      perdure::become_serial();
      show(*value);
      std::puts("fine");
    }
    // Not on every path.
    std::puts("x");  // CHECK-DAG: serial.cc:[[@LINE]]:5: error: call to 'puts' in a transaction cannot be made transactional
  }
  TM_END;
}

void serially(long* value) {
  TM_SERIAL {
    show(*value);
    std::puts("fine");
    never();  // CHECK-DAG: serial.cc:[[@LINE]]:5: error: call to 'never()' in a transaction, but it is marked {{..}}perdure::unsafe]]
  }
  TM_END;
}

[[perdure::serial]] void is_not_asked(long* value) {
  show(*value);
  std::puts("fine");
}
