// The linker loads the plugin too; code that was instrumented when it was compiled stays as it is.
// RUN: %clangxx -O2 -fPIC -flto -c %s -o %t.o
// RUN: %clangxx -flto -fuse-ld=lld -shared -fPIC -Wl,--load-pass-plugin=%plugin %t.o -o %t.so
// RUN: llvm-nm %t.so | FileCheck %s
// CHECK-DAG: perdure_tm__Z3addRl
// CHECK-DAG: U perdure_write_u64
#include "perdure/attributes.h"
#include "perdure/transaction.h"

PERDURE_SAFE void add(long& counter) { counter += 1; }
