// Clones of serial transactions: accesses are instrumented, and what cannot be stays as it is.
// RUN: %clangxx -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -O2 -fplugin-arg-perdure-write-only -S -emit-llvm %s -o - | FileCheck %s --check-prefix=BOTH
#include <cstdio>

#include "perdure/perdure.h"

volatile int device;
[[perdure::serial]] void elsewhere(long*);
void helper(long* value) {
  ++*value;
  std::printf("%ld\n", *value);
}

extern "C" int body(void* argument) {
  auto* const value = static_cast<long*>(argument);
  helper(value);
  elsewhere(value);
  device = 1;
  asm volatile("" ::: "memory");
  std::puts("whole");
  return 0;
}

// CHECK-LABEL: define {{.*}} @run(
// CHECK: call {{.*}}@perdure_serial_transaction(ptr {{.*}}@perdure_tm_body.serial,
// BOTH: @perdure_choose_flavour(ptr {{.*}}@perdure_tm_body.serial, ptr {{.*}}@perdure_tm_body.serial.write_only)
extern "C" int perdure_serial_transaction(int (*)(void*), void*);
extern "C" int run(long* value) { return perdure_serial_transaction(body, value); }

// An ordinary one becomes serial, and calls a clone of that kind.
// CHECK-LABEL: define {{.*}} @_Z5laterPl(
void later(long* value) {
  TM_BEGIN {
    *value = 1;
    perdure::become_serial();
    helper(value);
  }
  TM_END;
}

// CHECK-DAG: define {{.*}} @perdure_tm__Z6helperPl.serial(
// CHECK-DAG: declare extern_weak {{.*}} @perdure_tm__Z9elsewherePl.serial(
// CHECK-DAG: call {{.*}}@perdure_write_u64(
// CHECK-DAG: call {{.*}}@perdure_write_u32(ptr {{.*}}@device, i32 {{.*}}1)
// CHECK-DAG: call {{.*}}@{{puts|printf}}(
// CHECK-NOT: @perdure_tm__Z6helperPl(
