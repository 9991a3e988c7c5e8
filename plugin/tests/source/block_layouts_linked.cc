// With link-time optimisation, of what only the linker makes clones: the calls have the layouts from the files.
// RUN: %clangxx -DCALLER -fPIC -O2 -flto -c %s -o %t.caller.o && %clangxx -DCALLEE -fPIC -O2 -flto -c %s -o %t.callee.o
// RUN: %clangxx -flto -fuse-ld=lld -shared -fPIC -Wl,--load-pass-plugin=%plugin %t.caller.o %t.callee.o -o %t.so \
// RUN:   -Wl,--save-temps
// RUN: llvm-dis %t.so.0.5.precodegen.bc -o - | FileCheck %s
// RUN: %clangxx -DCALLER -fPIC -O0 -flto -c %s -o %t.caller.o && %clangxx -DCALLEE -fPIC -O0 -flto -c %s -o %t.callee.o
// RUN: %clangxx -flto -fuse-ld=lld -shared -fPIC -Wl,--load-pass-plugin=%plugin %t.caller.o %t.callee.o -o %t.so \
// RUN:   -Wl,--save-temps
// RUN: llvm-dis %t.so.0.5.precodegen.bc -o - | FileCheck %s
//
// In the file they are attributes, and no calls.
// RUN: %clangxx -DCALLEE -O2 -flto -S -emit-llvm %s -o - | FileCheck %s --check-prefix=FILE
// RUN: %clangxx -DCALLEE -O2 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=ALONE
// FILE-NOT: @perdure_set_block_layout
// FILE: "perdure-layout"="16from0.p8x1"
// ALONE-NOT: {{[@"]}}perdure
struct Inner {
  int number;
  char* text;
};
Inner* make_inner();
long** make_array(unsigned long count);

#ifdef CALLER
#include "perdure/attributes.h"

// CHECK: call void @perdure_set_block_layout(ptr {{.*}}@perdure.layout.16from0.p8x1)
// CHECK-NEXT: call {{.*}}@perdure_tm__Znwm(
// CHECK: call void @perdure_set_block_layout(ptr {{.*}}@perdure.layout.8from0.p0x1)
// CHECK-NEXT: call {{.*}}@perdure_tm__Znam(
PERDURE_SAFE void work(Inner** inner, long*** array) {
  *inner = make_inner();
  *array = make_array(7);
}
#endif

#ifdef CALLEE
// Without a sign of transactions the file has no places, so all that a function allocates must be of one layout.
Inner* make_inner() { return new Inner; }
long** make_array(unsigned long count) { return new long*[count]; }
#endif
