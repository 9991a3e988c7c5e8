// What `new` makes outside of transactions, where perdure::persist is to find it (plugin/layouts/persistable.h).
// RUN: %clangxx -O0 -fplugin-arg-perdure-persistable -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -O2 -fplugin-arg-perdure-persistable -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -O2 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=WITHOUT
// RUN: not %clangxx -O2 -fplugin-arg-perdure-persistable -fplugin-arg-perdure-self-relative -c %s -o %t.o 2>&1 \
// RUN:   | FileCheck %s --check-prefix=DISTANCES
// A file that copies objects need not ask for it.
// RUN: %clangxx -DPERSISTS -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: not %clangxx -DPERSISTS -O2 -fplugin-arg-perdure-self-relative -c %s -o %t.o 2>&1 \
// RUN:   | FileCheck %s --check-prefix=DISTANCES
// WITHOUT-NOT: perdure_allocate_object
// DISTANCES: error: perdure::persist follows native pointers: leave out -fplugin-arg-perdure-self-relative
#include <cstddef>
#include <new>

#ifdef PERSISTS
#include "perdure/persist.h"
void* persist(long* object) { return perdure::persist(*object); }
#else
#include "perdure/transaction.h"
#endif

struct Node {
  Node* next;
  double value;
};
struct alignas(64) Line {
  char bytes[64];
};

// CHECK-LABEL: define {{.*}}@_Z4nodev(
// CHECK: call ptr @perdure_allocate_object(ptr @perdure.layout.16from0.p0x1, i64 16, i64 16, i32 1)
Node* node() { return new Node; }

// CHECK-LABEL: define {{.*}}@_Z4linev(
// CHECK: call ptr @perdure_allocate_object(ptr @perdure.layout.64from0.u0x8, i64 64, i64 64, i32 0)
Line* line() { return new (std::nothrow) Line; }

// Nobody knows what it holds.
// CHECK-LABEL: define {{.*}}@_Z7unknownm(
// CHECK: call ptr @perdure_allocate_object(ptr null, i64 %{{.*}}, i64 16, i32 1)
void* unknown(std::size_t bytes) { return ::operator new(bytes); }

// Exceptions pass.
// CHECK-LABEL: define {{.*}}@_Z6caughtv(
// CHECK: invoke ptr @perdure_allocate_object(
Node* caught() {
  try {
    return new Node[10];
  } catch (...) {
    return nullptr;
  }
}

// Transactions allocate as ever: below.
// CHECK-LABEL: define {{.*}}@_Z6changeRP4Node(
void change(Node*& node) {
  TM_BEGIN { node = new Node; }
  TM_END;
}

// CHECK: call {{.*}}@perdure_tm__Znwm(i64 {{.*}}16)
