// -fplugin-arg-perdure-checked: checks have the place in the source, with and without debug information.
// RUN: %clangxx -O0 -fplugin-arg-perdure-checked -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -O2 -g -fplugin-arg-perdure-checked -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -O2 -fplugin-arg-perdure-checked -fplugin-arg-perdure-write-only -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -O2 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=ORDINARY
// ORDINARY-NOT: @perdure_check
//
// A file without transactions, too: it may use what lies in pools.
// RUN: %clangxx -O2 -DPLAIN -fplugin-arg-perdure-checked -S -emit-llvm %s -o - | FileCheck %s --check-prefix=PLAIN
// RUN: %clangxx -O2 -DPLAIN -S -emit-llvm %s -o - | FileCheck %s --check-prefix=ORDINARY
//
// Objects with virtual functions may lie in pools.
// RUN: %clangxx -O2 -DVIRTUAL -fplugin-arg-perdure-checked -c %s -o %t.o 2>&1 | count 0
// RUN: %clangxx -O2 -DVIRTUAL -c %s -o %t.o 2>&1 | count 0
#ifdef PLAIN
// PLAIN: constant {{.*}}checked.cc:[[@LINE+3]]:{{[0-9]+}}, in 'plain(long*)'
// PLAIN: call void @perdure_check_access(
// PLAIN-NOT: !llvm.dbg.cu
long plain(long* value) { return *value; }
#elif defined VIRTUAL
#include "perdure/transaction.h"

struct Shape {
  virtual ~Shape() {}
};

Shape* make() {
  return TM_BEGIN { return new Shape; } TM_END;
}
#else
#include <string>

#include "perdure/transaction.h"

struct Account {
  const char* name;
  Account* next;
};

// CHECK-DAG: constant {{.*}}checked.cc:[[@LINE+7]]:{{[0-9]+}}, in '{{.*}}operator()
// CHECK-DAG: constant {{.*}}checked.cc:[[@LINE+8]]:{{[0-9]+}}, in 'remove(Account*)
// CHECK-DAG: call void @perdure_check_pointer(
// CHECK-DAG: call {{.*}}ptr @perdure_check_free(
// CHECK-DAG: call void @perdure_run_checked(
// CHECK-NOT: call void @perdure_run(
void rename(Account& account, const char* name) {
  TM_BEGIN { account.name = name; } TM_END;
}
void remove(Account* account) { delete account; }
#endif
