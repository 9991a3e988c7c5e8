// A table of labels is of one function: the clone has one of its own.
// RUN: %clangxx -O0 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -O0 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=CONSTANT-INDEX
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

// CONSTANT-INDEX-LABEL: define{{.*}} @perdure_tm__Z13always_secondRl
// CONSTANT-INDEX: @perdure_read_ptr({{.*}}@_ZZ13always_secondRlE6labels.{{[0-9]+}},
[[perdure::safe]] void always_second(long& value);
void always_second(long& value) {
  static const void* labels[] = {&&first, &&second};
  goto* labels[1];
first:
  value = 1;
  return;
second:
  value = 2;
}

void run(const char* code, long& value) {
  TM_BEGIN {
    interpret(code, value);
    always_second(value);
  }
  TM_END;
}
