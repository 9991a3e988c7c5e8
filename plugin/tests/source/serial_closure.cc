// What a serial block does with the address of a local, nobody follows: another thread may have it, so transactions
// access that local by way of the runtime.
// RUN: %clangxx -O1 -S -emit-llvm %s -o - | FileCheck %s
#include "perdure/transaction.h"

long* published = nullptr;

// CHECK-LABEL: define {{.*}}sum_of{{.*}}$_1
// CHECK: call i64 @perdure_read_u64
// CHECK: call i64 @perdure_read_u64
// CHECK: call void @perdure_write_u64
// CHECK: ret void
long sum_of(const long& shared) {
  long sum = 0;
  TM_SERIAL { published = &sum; } TM_END;
  TM_BEGIN { sum += shared; } TM_END;
  return sum;
}
