// -fplugin-arg-perdure-write-only gives a file's clones a second flavour, which reads memory by plain loads.
// RUN: %clangxx -O1 -fplugin-arg-perdure-write-only -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -O0 -fplugin-arg-perdure-write-only -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -O1 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=ONE
// ONE-NOT: {{[.]}}write_only
//
// Where a file that it calls lacks the flavour, the linker names what is missing.
// RUN: %clangxx -O1 -fPIC -fplugin-arg-perdure-write-only -c %s -o %t.o && %clangxx -O1 -fPIC -DELSEWHERE -c %s -o %t.elsewhere.o
// RUN: not %clangxx -shared -fuse-ld=lld -Wl,--no-undefined %t.o %t.elsewhere.o -o %t.so 2>&1 | FileCheck %s --check-prefix=LACKS
// LACKS: undefined symbol: perdure_tm_{{.*}}balance_after{{.*}}write_only
//
// The other way round, and with the flavour on both sides, the program links.
// RUN: %clangxx -O1 -fPIC -fplugin-arg-perdure-write-only -DELSEWHERE -c %s -o %t.elsewhere.o
// RUN: %clangxx -shared -fuse-ld=lld %t.o %t.elsewhere.o -o %t.so
// RUN: llvm-nm --defined-only %t.so | FileCheck %s --check-prefix=LINKED
// LINKED: perdure_tm__Z13balance_afterPll.write_only
// RUN: %clangxx -O1 -fPIC -c %s -o %t.o && %clangxx -shared -fuse-ld=lld %t.o %t.elsewhere.o -o %t.so
//
// An argument that does not exist is refused.
// RUN: not %clangxx -fplugin-arg-perdure-read-only -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: the plugin has no such argument; -fplugin-arg-perdure- goes before report, write-only, portable, warn-not-portable, serial-calls, persistable, self-relative and checked
#include "perdure/attributes.h"
#include "perdure/transaction.h"

PERDURE_SAFE long balance_after(long* balance, long by);

#ifdef ELSEWHERE
long balance_after(long* balance, long by) { return *balance += by; }
#else
// CHECK-LABEL: define {{.*}}void @_Z7programPl(
// CHECK: call ptr @perdure_choose_flavour(ptr {{.*}}@"[[BODY:perdure_tm_[^"]+]]", ptr {{.*}}@"[[BODY]].write_only")
// CHECK: define {{.*}}@"[[BODY]].write_only"(
// CHECK: @perdure_tm__Z13balance_afterPll.write_only(
void program(long* balance) {
  TM_BEGIN { *balance = balance_after(balance, *balance); } TM_END;
}
#endif
