// The report of what was instrumented and what was not, as a file and as remarks.
// RUN: %clangxx -O1 -fplugin-arg-perdure-report=%t.json -c %s -o %t.o && FileCheck %s --input-file=%t.json
// RUN: %clangxx -O1 -fplugin-arg-perdure-report -c %s -o %t.o && FileCheck %s --input-file=%t.o.json
// RUN: %clangxx -O1 -Rpass=perdure -Rpass-missed=perdure -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not %clangxx -fplugin-arg-perdure-nonsense -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=NONSENSE
// RUN: not %clangxx -fplugin-arg-perdure-report=%t.no/such/folder -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=UNWRITABLE
// NONSENSE: error: the plugin has no such argument
// UNWRITABLE: error: the report cannot be written to
#include "perdure/attributes.h"
#include "perdure/transaction.h"

struct Shape {
  virtual long area() = 0;
};
long total = 0;

// CHECK: "accesses": [
// CHECK: "kind": "read",
// CHECK-NEXT: "left": null,
// CHECK: "kind": "read",
// CHECK-NEXT: "left": "invariant",
// CHECK: "kind": "write",
// CHECK-NEXT: "left": null,
// CHECK-NEXT: "place": "{{.*}}report.cc:[[@LINE+5]]:
// CHECK: "function": "add(Shape&)"
// CHECK-NEXT: "place": "{{.*}}report.cc:[[#ADD:]]:1"
// CHECK-NEXT: "symbol": "perdure_tm__Z3addR5Shape"
PERDURE_SAFE void add(Shape& shape) {
  total += shape.area();
  // REMARK-DAG: report.cc:[[@LINE-1]]:{{[0-9]+}}: remark: read instrumented [-Rpass-missed=perdure]
  // REMARK-DAG: report.cc:[[@LINE-2]]:{{[0-9]+}}: remark: read left as it is: invariant [-Rpass=perdure]
  // REMARK-DAG: report.cc:[[@LINE-3]]:{{[0-9]+}}: remark: write instrumented [-Rpass-missed=perdure]
}
