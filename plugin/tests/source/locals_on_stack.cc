// A clone's locals stay on the stack, where the runtime finds what dies with the transaction, whatever else the program
// is compiled for.
// RUN: %clangxx -O1 -fsanitize=address -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -O1 -fsanitize=address -fsanitize-address-use-after-return=always -S -emit-llvm %s -o - | FileCheck %s
// CHECK-NOT: @__asan_stack_malloc
//
// RUN: %clangxx -O1 -fsanitize=safe-stack -S -emit-llvm %s -o - | FileCheck %s --check-prefix=SAFE
// SAFE: define {{.*}}@{{"?}}perdure_tm_{{.*}} [[ATTRIBUTES:#[0-9]+]]
// SAFE-NOT: attributes [[ATTRIBUTES]] = {{.*}}safestack
//
// -finstrument-functions calls functions of the program, as they are.
// RUN: %clangxx -O1 -finstrument-functions -S -emit-llvm %s -o - | FileCheck %s --check-prefix=INSTRUMENTED
// INSTRUMENTED: define {{.*}}@{{"?}}perdure_tm_{{.*}}invoke
// INSTRUMENTED: call void @__cyg_profile_func_enter(
#include "perdure/attributes.h"
#include "perdure/transaction.h"

PERDURE_SAFE void fill(char* text);

char first() {
  return perdure::execute([] {
    char text[64];
    fill(text);
    return text[0];
  });
}
