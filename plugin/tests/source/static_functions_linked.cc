// Functions that only their file knows may have the name of others: when the linker completes the program, each file's
// keep to their own.
// DEFINE: %{link} = %clangxx -flto -fuse-ld=lld -shared -fPIC -Wl,--load-pass-plugin=%plugin
// RUN: %clangxx -DCALLER -fPIC -O1 -flto -c %s -o %t.caller.o && %clangxx -DCALLEE -fPIC -O1 -flto -c %s -o %t.callee.o
// RUN: %{link} %t.caller.o %t.callee.o -o %t.so -Wl,--save-temps 2>&1 | count 0
// RUN: llvm-dis %t.so.0.5.precodegen.bc -o - | FileCheck %s --check-prefix=IN_CALLER
// RUN: llvm-dis %t.so.0.5.precodegen.bc -o - | FileCheck %s --check-prefix=IN_CALLEE
// The linker renames those of the file that comes later.
// RUN: %{link} %t.callee.o %t.caller.o -o %t.so -Wl,--save-temps 2>&1 | count 0
// RUN: llvm-dis %t.so.0.5.precodegen.bc -o - | FileCheck %s --check-prefix=IN_CALLER
// RUN: llvm-dis %t.so.0.5.precodegen.bc -o - | FileCheck %s --check-prefix=IN_CALLEE
#include "perdure/attributes.h"

void add_elsewhere(long* number);

#ifdef CALLER
// IN_CALLER-LABEL: define {{.*}}@perdure_tm__Z4workPl(
// IN_CALLER: call {{.*}}@[[STEP:perdure_tm__ZL4stepPl[^(]*]](
// IN_CALLER: define {{.*}}@[[STEP]](
// IN_CALLER: add {{.*}}, 11{{$|,}}
[[gnu::noinline]] static void step(long* number) { *number += 11; }
PERDURE_SAFE void work(long* number) {
  step(number);
  add_elsewhere(number);
}
#endif

#ifdef CALLEE
// IN_CALLEE-LABEL: define {{.*}}@perdure_tm__Z13add_elsewherePl(
// IN_CALLEE: call {{.*}}@[[STEP:perdure_tm__ZL4stepPl[^(]*]](
// IN_CALLEE: define {{.*}}@[[STEP]](
// IN_CALLEE: add {{.*}}, 22{{$|,}}
[[gnu::noinline]] static void step(long* number) { *number += 22; }
[[gnu::noinline]] void add_elsewhere(long* number) { step(number); }
#endif
