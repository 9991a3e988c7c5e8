// What a transaction stores and is code goes through perdure_code_address: tables and functions that are known, and
// those that are passed on, in types that have pointers to functions; constants, too. Nothing else does.
// RUN: %clangxx -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -O2 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=ROWS
// RUN: %clangxx -O2 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=CAST
// RUN: %clangxx -O2 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=COMPARED
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
// Constants, by their names; a literal goes by what it says. What nobody keeps the address of is not there.
// ROWS-DAG: c"=_ZL5plain@code_addresses.cc\00"
// ROWS-DAG: c"=common\00"
// ROWS-DAG: c"=_ZL6shared@code_addresses.cc\00"
// ROWS-DAG: c"=elsewhere\00"
// ROWS-DAG: c"\22\00"
// ROWS-NOT: c"_ZNK6Circle4areaEv\00"
// ROWS-NOT: c"=_ZL6powers
// ROWS-NOT: c"=_ZL7changed
// ROWS-NOT: c"=_ZL7counted
// ROWS-NOT: c"=_ZL6filled
// ROWS-NOT: c"=_ZL4hook
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

struct Style {
  const char* name;
  int width;
};
static const Style plain = {"plain", 1};
extern const int common[3];
static const int powers[] = {1, 10, 100, 1000};

// CHECK-LABEL: define {{.*}}@perdure_tm__Z5styleRPK5StyleRPKii
// CHECK: call ptr @perdure_code_address(
// CHECK: call void @perdure_write_ptr
// CHECK: call ptr @perdure_code_address(
// CHECK: call void @perdure_write_ptr
[[perdure::safe]] int style(const Style*& place, const int*& widths, int which) {
  place = &plain;
  widths = &common[which];
  return powers[which];
}

// A table of functions is a constant, too, though not called one; but not if something in it may change, or does.
struct Methods {
  const char* name;
  long (*apply)(long);
};
struct Counted {
  long (*apply)(long);
  int calls;
};
static Methods shared = {"shared", twice};
static Methods changed = {"changed", twice};
static Counted counted = {twice, 0};
static Methods filled;
static long (*hook)(long) = twice;
extern "C" Methods elsewhere;
void change() { changed.apply = half; }

// CHECK-LABEL: define {{.*}}@perdure_tm__Z7methodsPP7MethodsRP7CountedRPPFllE
// CHECK: call ptr @perdure_code_address(ptr {{.*}}, ptr {{.*}}@_ZL6shared
// CHECK: call ptr @perdure_code_address(ptr {{.*}}, ptr {{.*}}@elsewhere
// CHECK-NOT: perdure_code_address
// CHECK: ret void
[[perdure::safe]] void methods(Methods** places, Counted*& place, long (**&hooks)(long)) {
  places[0] = &shared;
  places[1] = &elsewhere;
  places[2] = &changed;
  places[3] = &filled;
  place = &counted;
  hooks = &hook;
}

// What the transaction has allocated is written without the runtime.
// CHECK-LABEL: define {{.*}}@perdure_tm__Z4makePKc
// CHECK: call ptr @perdure_code_address(
// CHECK-NOT: call void @perdure_write_ptr
[[perdure::safe]] Style* make(const char* name) { return new Style{name, 1}; }

// A pointer from a pool is led back before it is compared with the program's, in a transaction and outside.
// COMPARED-LABEL: define {{.*}}@_Z8is_plainRPK5Style
// COMPARED: call ptr @perdure_program_address(ptr
// COMPARED-LABEL: define {{.*}}@_Z10are_equalsRPK5StyleS2_
// COMPARED-NOT: perdure_program_address
// COMPARED-LABEL: define {{.*}}@perdure_tm__Z8is_plainRPK5Style
// COMPARED: call ptr @perdure_program_address(ptr
[[perdure::safe]] bool is_plain(const Style*& place) { return place == &plain; }
[[perdure::safe]] bool are_equals(const Style*& one, const Style*& other) { return one == other; }
