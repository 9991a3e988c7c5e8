// What overrides a function that is declared safe is safe, though it does not say so.
// RUN: %clangxx -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -O2 -S -emit-llvm %s -o - | FileCheck %s
#include "perdure/attributes.h"

struct Shape {
  PERDURE_SAFE virtual long area();
  virtual long unmarked();
};
struct Named {
  virtual ~Named();
  PERDURE_SAFE virtual long name();
};
struct Square : Shape, Named {
  long area() override;
  long name() override;
  long unmarked() override;
};
struct Small final : Square {
  long area() override;
};
struct Foreign : Shape {
  PERDURE_PURE long area() override;
};

// CHECK-DAG: define {{.*}}i64 @perdure_tm__ZN5Shape4areaEv(
// CHECK-DAG: define {{.*}}i64 @perdure_tm__ZN6Square4areaEv(
// CHECK-DAG: define {{.*}}i64 @perdure_tm__ZN6Square4nameEv(
// Of one that overrides nothing safe itself, but what does.
// CHECK-DAG: define {{.*}}i64 @perdure_tm__ZN5Small4areaEv(
// Its own word counts.
// CHECK-NOT: @perdure_tm__ZN7Foreign4areaEv
long Shape::area() { return 0; }
long Square::area() { return 1; }
long Square::name() { return 2; }
long Small::area() { return 3; }
long Foreign::area() { return 4; }
