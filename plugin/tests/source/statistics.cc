// Each elision counts the accesses that it leaves, in clang's own statistics.
// RUN: cd %T && %clangxx -O0 -save-stats=obj -c %s -o statistics.o && FileCheck %s --check-prefix=FRAME < statistics.stats
// RUN: cd %T && %clangxx -O1 -save-stats=obj -c %s -o statistics.o && FileCheck %s < statistics.stats
// RUN: cd %T && %clangxx -O1 -save-stats=obj -mllvm -perdure-disable-elision=captured,constant -c %s -o statistics.o \
// RUN:   && FileCheck %s --check-prefix=DISABLED < statistics.stats
#include "perdure/attributes.h"
#include "perdure/transaction.h"

const long powers[8] = {1, 2, 4, 8, 16, 32, 64, 128};

// FRAME: "perdure.of_own_frame": {{[1-9]}}
// CHECK: "perdure.of_captured_memory": 2
// CHECK-NEXT: "perdure.of_constants": 1
// CHECK: "perdure.of_private_locals": {{[1-9]}}
// DISABLED-NOT: of_captured_memory
// DISABLED-NOT: of_constants
// DISABLED: "perdure.of_private_locals": {{[1-9]}}
PERDURE_SAFE long* make(long* shared, int index) {
  auto* const allocated = static_cast<long*>(__builtin_malloc(16));
  allocated[1] = powers[index];
  *allocated = *shared;
  return allocated;
}

long local(const long& shared) {
  long sum = 0;
  TM_BEGIN { sum += shared; } TM_END;
  return sum;
}
