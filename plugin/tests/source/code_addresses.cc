// What a transaction stores and is code goes through perdure_code_address: tables and functions that are known, and
// those that are passed on, in types that have pointers to functions. Nothing else does.
// RUN: %clangxx -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -O2 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=ROWS
// RUN: %clangxx -O2 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=CAST
#include <new>

#include "perdure/transaction.h"

struct Shape {
  virtual ~Shape() = default;
  virtual long area() const;
};
struct Circle final : Shape {
  long area() const override;
};
long Shape::area() const { return 0; }
long Circle::area() const { return 3; }

// ROWS-DAG: c"_ZTV5Shape\00"
// ROWS-DAG: c"_ZTV6Circle\00"
// ROWS-DAG: c"_Z5twicel\00"
// ROWS-DAG: c"_ZL4halfl@code_addresses.cc\00"
// ROWS-NOT: c"_ZNK6Circle4areaEv\00"
// ROWS: call void @perdure_add_code(ptr {{(nonnull )?}}@perdure.code, i64 {{[0-9]+}})

long twice(long number) { return 2 * number; }
static long half(long number) { return number / 2; }

struct Operations {
  long (*apply)(long);
  Operations* next;
};
struct Node {
  Node* next;
};

// CHECK-LABEL: define {{.*}}@perdure_tm__Z9make_hereR6Circle
// CHECK: %[[TABLE:.*]] = {{.*}}call ptr @perdure_code_address(ptr {{.*}}, ptr {{.*}}@_ZTV6Circle
// CHECK: call void @perdure_write_ptr(ptr {{.*}}, ptr %[[TABLE]])
[[perdure::safe]] void make_here(Circle& circle) { new (&circle) Circle; }

// CHECK-LABEL: define {{.*}}@perdure_tm__Z3setR10Operationsb
// CHECK: call ptr @perdure_code_address(
// CHECK: call void @perdure_write_ptr
[[perdure::safe]] void set(Operations& operations, bool doubles) { operations.apply = doubles ? twice : half; }

// CHECK-LABEL: define {{.*}}@perdure_tm__Z4passR10OperationsPFllE
// CHECK: call ptr @perdure_code_address(
[[perdure::safe]] void pass(Operations& operations, long (*function)(long)) { operations.apply = function; }

// The optimiser makes a table of the four: its elements are code, too.
// CHECK-LABEL: define {{.*}}@perdure_tm__Z6choosePvm
// CHECK: load ptr, ptr %{{.*}}
// CHECK: call ptr @perdure_code_address(
template <int>
struct Numbered : Shape {
  long area() const override { return 1; }
};
[[perdure::safe]] void choose(void* place, unsigned long number) {
  switch (number % 4) {
    case 0:
      new (place) Numbered<0>;
      return;
    case 1:
      new (place) Numbered<1>;
      return;
    case 2:
      new (place) Numbered<2>;
      return;
    default:
      new (place) Numbered<3>;
  }
}

// CHECK-LABEL: define {{.*}}@perdure_tm__Z4linkR4NodeS0_
// CHECK-NOT: perdure_code_address
// CHECK: ret void
[[perdure::safe]] void link(Node& node, Node& next) { node.next = &next; }

// The table of an object in a pool is not the program's.
// CAST-LABEL: define {{.*}}@_Z9is_circlePK5Shape
// CAST: call ptr @__dynamic_cast
bool is_circle(const Shape* shape) { return dynamic_cast<const Circle*>(shape) != nullptr; }
