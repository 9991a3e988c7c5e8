// A function template whose clone the library has may have a body in the file as well (std::to_string calls one). What
// is declared for the clone is then a declaration like any other, which the linker accepts.
// RUN: %clangxx -O2 -flto -c %s -o %t.bc && opt -passes=verify -S %t.bc -o - | FileCheck %s
// RUN: %clangxx -O0 -flto -c %s -o %t.bc && opt -passes=verify -S %t.bc -o - | FileCheck %s
#include <string>

#include "perdure/transaction.h"

void note(std::string& text, double number) {
  TM_BEGIN { text = std::to_string(number); } TM_END;
}
// CHECK: declare {{.*}} @perdure_tm_{{.*}}to_xstring
