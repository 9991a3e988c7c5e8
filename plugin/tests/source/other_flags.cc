// Sanitizers and coverage keep working: what they insert is left alone, and what they report on is not refused.
// RUN: %clangxx -O1 -fsanitize=address,undefined -c %s -o %t.o
// RUN: %clangxx -O1 -fsanitize=thread -c %s -o %t.o
// RUN: %clangxx -O0 -fprofile-instr-generate -fcoverage-mapping -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -O2 -fprofile-instr-generate -fcoverage-mapping -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -O2 -fstack-protector-all -fcf-protection=full -ftrapv -c %s -o %t.o
// Our headers may come by -include, or from a precompiled header.
// RUN: %clangxx -include perdure/perdure.h -O1 -c %s -o %t.o
// RUN: %clangxx -x c++-header -O1 -c %S/../../../include/perdure/perdure.h -o %t.pch
// RUN: %clangxx -include-pch %t.pch -O1 -c %s -o %t.o
#include <map>
#include <string>

#include "perdure/transaction.h"

// CHECK: define {{.*}}@perdure_tm_
// CHECK-NOT: call void @perdure_write_u64(ptr {{.*}}@__profc_
void count(std::map<std::string, long>& map, int* values, int index) {
  TM_BEGIN {
    map["key"] += values[index] / index;
  } TM_END;
}
