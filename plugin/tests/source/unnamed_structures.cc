// A structure that gets its name from a typedef: the plugin asks for its symbol when it has one. Pointers to functions
// in it are known as in others.
// RUN: %clangxx -O2 -S -emit-llvm %s -o - | FileCheck %s
#include "perdure/transaction.h"

typedef struct {
  long (*call)(long);
  void* argument;
} Callback;

long passed_on(Callback& callback, long value);
long passed_on(Callback& callback, long value) { return callback.call(value); }

// CHECK-LABEL: define{{.*}} @perdure_tm__Z7replaceR8CallbackRKS_
// CHECK: call {{.*}}@perdure_code_address
[[perdure::safe]] void replace(Callback& callback, const Callback& other);
void replace(Callback& callback, const Callback& other) { callback = other; }

void change(Callback& callback, const Callback& other) {
  TM_BEGIN { replace(callback, other); }
  TM_END;
}
