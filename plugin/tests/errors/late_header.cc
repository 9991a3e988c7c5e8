// What stands before the header has its place in messages, too.
// RUN: not %clangxx -c %s -o %t.o 2>&1 | FileCheck %s
#include <cstdio>

int shared;
int before() {
  ++shared;
  return std::puts("before");  // CHECK: [[@LINE]]:10: error: call to 'puts' in a transaction
}

#include "perdure/transaction.h"

void begin() {
  TM_BEGIN { shared += before(); } TM_END;
}
