// What makes a transaction serial is called under the name that it has in the program: the compiler would make fwrite of
// these where the text is constant, and nobody would know that call.
// RUN: %clangxx -O2 -fplugin-arg-perdure-serial-calls -S -emit-llvm %s -o - \
// RUN:   | FileCheck %s --implicit-check-not='@fwrite('
#include <cstdio>

#include "perdure/perdure.h"

// CHECK-DAG: call {{.*}} @fprintf(
void change(long& value) {
  TM_BEGIN {
    if (++value > 100) std::fprintf(stderr, "too much\n");
  }
  TM_END;
}

// CHECK-DAG: call {{.*}} @fputs(
void give_up(long& value) {
  TM_BEGIN {
    if (++value > 100) {
      std::fputs("too much\n", stderr);
      throw 1;
    }
  }
  TM_END;
}
