// A structure that gets its name from a typedef: the plugin asks for its symbol when it has one. What is stored to its
// pointers to functions is known to be code, as in others.
// RUN: %clangxx -O2 -S -emit-llvm %s -o - | FileCheck %s
#include "perdure/transaction.h"

typedef struct {
  long (*call)(long);
  void* argument;
} Callback;

long passed_on(Callback& callback, long value);
long passed_on(Callback& callback, long value) { return callback.call(value); }

// CHECK-LABEL: define{{.*}} @perdure_tm__Z7replaceR8CallbackPFllE
// CHECK: call {{.*}}@perdure_code_address
[[perdure::safe]] void replace(Callback& callback, long (*call)(long));
void replace(Callback& callback, long (*call)(long)) { callback.call = call; }

void change(Callback& callback, long (*call)(long)) {
  TM_BEGIN { replace(callback, call); }
  TM_END;
}
