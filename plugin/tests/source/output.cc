// What the plugin leaves in the object file.
// RUN: %clangxx -O2 -c %s -o %t.o && llvm-readelf -S %t.o | FileCheck %s --check-prefix=NODEBUG
// RUN: %clangxx -O2 -g -c %s -o %t.o && llvm-readelf -S %t.o | FileCheck %s --check-prefix=DEBUG
// RUN: %clangxx -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -S -emit-llvm %s -o - | FileCheck %s --check-prefix=PLAIN
// RUN: %clangxx -O2 -flto -c %s -o %t.bc && llvm-dis %t.bc -o - | sed 's/, !dbg.*//' | FileCheck %s
// RUN: %clangxx -O2 -flto=thin -c %s -o %t.bc && llvm-dis %t.bc -o - | FileCheck %s
// RUN: %clangxx -O2 -flto -ffat-lto-objects -c %s -o %t.o && llvm-nm %t.o | FileCheck %s --check-prefix=SYMBOLS
// Given twice, as -fplugin= and as -fpass-plugin=, it does its work once.
// RUN: %clangxx -O2 -fpass-plugin=%plugin -S -emit-llvm %s -o - | FileCheck %s
#include "perdure/transaction.h"

// The locations that error messages need do not stay where nobody asked for debug information (but for the linker, which
// has messages of its own, and does not write them to the program).
// RUN: %clangxx -O2 -flto -fuse-ld=lld -shared -fPIC %s -o %t.so && llvm-readelf -S %t.so | FileCheck %s --check-prefix=NODEBUG
// NODEBUG-NOT: .debug_
// DEBUG: .debug_info
// CHECK-NOT: !dbg

#ifndef __PERDURE__
#error "the plugin does not predefine its macro"
#endif

// What only the transaction runs is not there in plain form: nothing calls it.
// CHECK-NOT: define {{.*}}add_one
// CHECK-LABEL: define {{.*}}@_Z5countRl(
// CHECK: call void @perdure_run(ptr {{.*}}@{{"?}}perdure_tm_{{[^,]*}}invoke{{[^,]*}}, ptr {{.*}})
// CHECK: define {{.*}}@{{"?}}perdure_tm_{{.*}}invoke{{.*}}(
// CHECK: %[[COUNTER:.*]] = load ptr, ptr %0
// CHECK-NEXT: %[[OLD:.*]] = call i64 @perdure_read_u64(ptr {{.*}}%[[COUNTER]])
// CHECK-NEXT: %[[NEW:.*]] = add {{.*}}i64 %[[OLD]], 1
// CHECK-NEXT: call void @perdure_write_u64(ptr {{.*}}%[[COUNTER]], i64 {{.*}}%[[NEW]])
// CHECK-NEXT: ret void
// SYMBOLS-DAG: U perdure_read_u64
// SYMBOLS-DAG: U perdure_run
// PLAIN: call void @perdure_run(ptr {{.*}}@{{"?}}perdure_tm_
// PLAIN-DAG: call i64 @perdure_read_u64
// PLAIN-DAG: call void @perdure_write_u64
static long add_one(long value) { return value + 1; }

void count(long& counter) {
  TM_BEGIN { counter = add_one(counter); } TM_END;
}
