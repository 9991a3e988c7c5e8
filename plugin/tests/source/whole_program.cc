// With link-time optimisation functions of other files need no mark: what one file leaves open, the linker completes.
// DEFINE: %{flags} = -flto -fuse-ld=lld
// DEFINE: %{link} = %clangxx %{flags} -shared -fPIC -Wl,--load-pass-plugin=%plugin
// RUN: %clangxx -DCALLER -fPIC -O2 -flto -c %s -o %t.caller.o && %clangxx -DCALLEE -fPIC -O2 -flto -c %s -o %t.callee.o
// RUN: %{link} %t.caller.o %t.callee.o -o %t.so -Wl,--save-temps 2>&1 | count 0
// RUN: llvm-dis %t.so.0.5.precodegen.bc -o - | FileCheck %s
// Also without the optimiser, and from an archive.
// RUN: %clangxx -DCALLER -fPIC -O0 -flto -c %s -o %t.caller.o && %clangxx -DCALLEE -fPIC -O0 -flto -c %s -o %t.callee.o
// RUN: rm -f %t.a && llvm-ar rc %t.a %t.callee.o && %{link} %t.caller.o %t.a -o %t.so -Wl,--save-temps
// RUN: llvm-dis %t.so.0.5.precodegen.bc -o - | FileCheck %s
//
// What is wrong is said by the linker, with the place of the call.
// RUN: not %{link} -O1 -DCALLER -Wl,--no-undefined %s -o %t.so 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: %clangxx -DCALLER -fPIC -O1 -flto -c %s -o %t.caller.o && %clangxx -DCALLEE -DPRINTS -fPIC -O1 -flto -c %s -o %t.callee.o
// RUN: not %{link} %t.caller.o %t.callee.o -o %t.so 2>&1 | FileCheck %s --check-prefix=PRINTS
//
// A function of the C library is refused at once; any other is, too, where the linker does not see the whole program.
// RUN: not %clangxx -DCALLER -DPUTS -flto -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=PUTS
// RUN: not %clangxx -DCALLER -flto=thin -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=THIN
// RUN: not %clangxx -DCALLER -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=NEITHER
// NEITHER-NOT: -flto=thin
// RUN: not %clangxx -DCALLER -DPUTS -O2 -flto=thin -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=PUTS
#include <cstdio>

#include "perdure/attributes.h"
#include "perdure/transaction.h"

long balance_after(long* balance, long by);
using Function = long (*)(long);
Function choose(long which);

#ifdef CALLER
// CHECK: call {{.*}}i64 @{{(perdure_tm__Z13balance_afterPll|perdure_read_u64)}}
// MISSING: warning: call to 'balance_after(long*, long)' in a transaction: no file of the program that the linker can optimise defines it
// MISSING-NEXT: note: called from {{.*}}whole_program.cc:[[@LINE+9]]:10, in 'work(long*)'
// MISSING-NEXT: note: compile the file that defines it with the plugin and -flto
// PUTS: [[@LINE+5]]:3: error: call to 'puts' in a transaction cannot be made transactional
// THIN: [[@LINE+6]]:{{[0-9]+}}: error: call to 'balance_after(long*, long)' in a transaction cannot be made transactional
PERDURE_SAFE long work(long* balance) {
#ifdef PUTS
  // The rest does not matter.
  std::puts("text");
#endif
  return balance_after(balance, 5) + choose(*balance)(3);
}
// THIN: note: its definition is not in this file: declare it
// THIN: note: -flto=thin does not help, {{.*}}: with -flto, for all files and for linking, it takes the function's
#endif

#ifdef CALLEE
// What is called through a pointer has a row in the program's table.
// CHECK-DAG: define {{.*}}i64 @perdure_tm__ZL5twicel(
// PRINTS: whole_program.cc:[[@LINE+6]]:3: error: call to 'printf' in a transaction cannot be made transactional
// PRINTS: whole_program.cc:[[@LINE+5]]:3: note: it reads or writes a stream
long total = 0;
static long twice(long value) { return total += 2 * value; }
long balance_after(long* balance, long by) {
#ifdef PRINTS
  std::printf("%ld", by);
#endif
  return *balance += by;
}
Function choose(long which) { return which == 0 ? twice : nullptr; }
#endif
