// Objects in pools lead to tables of virtual functions that the linker does not know.
// RUN: %clangxx -O1 -flto -fwhole-program-vtables -fvisibility=hidden -S -emit-llvm %s -o - | FileCheck %s
// CHECK-NOT: llvm.type.test
// CHECK-NOT: llvm.type.checked.load
//
// RUN: not %clangxx -O1 -flto -fsanitize=cfi -fvisibility=hidden -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=CFI
// RUN: not %clangxx -O1 -flto -fsanitize=cfi-icall -fvisibility=hidden -c %s -o %t.o 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CFI
// CFI: error: control-flow integrity does not know the functions of objects in pools: leave out -fsanitize=cfi
#include "perdure/transaction.h"

struct Shape {
  virtual ~Shape() = default;
  virtual int corners() const { return 0; }
};
struct Square : Shape {
  int corners() const override { return 4; }
};

Shape* made() { return new Square; }
int corners(const Shape& shape) {
  return perdure::execute([&] { return shape.corners(); });
}
