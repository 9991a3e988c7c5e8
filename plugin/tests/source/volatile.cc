// Of the volatile accesses that are written none is missing after the optimiser; and a remark says what they are here.
// RUN: %clangxx -O0 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -O3 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -O2 -Rpass=perdure -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=REMARK
#include "perdure/attributes.h"
#include "perdure/transaction.h"

struct Device {
  volatile int state;
  volatile unsigned char bytes[3];
};

// A captured volatile local is not private, though nobody else has its address.
// CHECK: define internal void @"perdure_tm_{{.*}}captures
// CHECK: call {{.*}}i32 @perdure_read_u32(
// CHECK: call void @perdure_write_u32(
// CHECK: call void @perdure_write_u32(
int captures(int* shared) {
  volatile int local = 1;
  TM_BEGIN {
    local = local + *shared;
    local = 7;
  } TM_END;
  return local;
}

// CHECK-LABEL: define {{.*}}i32 @perdure_tm__Z5spinsR6Device(
// CHECK: call {{.*}}i32 @perdure_read_u32(
// CHECK: call {{.*}}i32 @perdure_read_u32(
// CHECK: call void @perdure_write_u32(
// CHECK: call void @perdure_write_u32(
// CHECK: call void @perdure_write_u8(
// CHECK: ret i32
PERDURE_SAFE int spins(Device& device) {
  (void)device.state;
  const int state = device.state;
  device.state = 1;
  // REMARK: volatile.cc:[[@LINE-1]]:16: remark: volatile write is an ordinary access of the transaction [-Rpass=perdure]
  device.state = 1;
  device.bytes[1] = 2;
  return state;
}
