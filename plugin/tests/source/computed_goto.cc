// A table of labels is of one function: the clone has one of its own.
// RUN: %clangxx -O0 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -O2 -S -emit-llvm %s -o - | FileCheck %s
#include "perdure/transaction.h"

// CHECK-DAG: blockaddress(@_Z9interpretPKcRl, {{.*}})
// CHECK-DAG: blockaddress(@perdure_tm__Z9interpretPKcRl, {{.*}})
// CHECK-LABEL: define{{.*}} @perdure_tm__Z9interpretPKcRl
// CHECK: indirectbr
[[perdure::safe]] void interpret(const char* code, long& value);
void interpret(const char* code, long& value) {
  static const void* const labels[] = {&&end, &&increment, &&twice};
  goto* labels[static_cast<int>(*code++)];
increment:
  ++value;
  goto* labels[static_cast<int>(*code++)];
twice:
  value *= 2;
  goto* labels[static_cast<int>(*code++)];
end:
  return;
}

void run(const char* code, long& value) {
  TM_BEGIN { interpret(code, value); }
  TM_END;
}
