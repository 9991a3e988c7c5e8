// Transactions in C: the body is a function, and its clone runs. Any standard of C, without a warning.
// RUN: %clang -std=c11 -O2 -Wall -Wextra -pedantic -Werror -S -emit-llvm %s -o %t.ll
// RUN: FileCheck %s --input-file=%t.ll && FileCheck %s --input-file=%t.ll --check-prefix=OPTIMISED
// RUN: %clang -std=c23 -O0 -Wall -Wextra -pedantic -Werror -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -std=c99 -O2 -fsyntax-only -Werror %s
// RUN: %clang -x c++ -std=c++20 -O2 -S -emit-llvm %s -o - | FileCheck %s
#include "perdure/c.h"

#ifdef __cplusplus
extern "C" {
#endif

struct account {
  long balance;
  long changes;
};

PERDURE_SAFE void change(struct account* account, long by);
PERDURE_PURE long limit(void);

// CHECK-DAG: define {{.*}}void @perdure_tm_change(
// CHECK-DAG: call void @perdure_write_u64(
void change(struct account* account, long by) {
  account->balance += by;
  account->changes += 1;
}

static int withdraw(void* argument) {
  struct account* account = (struct account*)argument;
  if (account->balance < limit()) return 1;
  change(account, -5);
  return 0;
}

// An inner transaction is a call of its body.
static int withdraw_twice(void* argument) {
  int first = perdure_transaction(withdraw, argument);
  return first != 0 ? first : perdure_transaction(withdraw, argument);
}

// CHECK-DAG: call i32 @perdure_transaction(ptr {{[^,]*}}@perdure_tm_{{.*}}withdraw_twice{{.*}}, ptr
// CHECK-DAG: define internal {{.*}}i32 @perdure_tm_{{.*}}withdraw_twice{{.*}}(
// CHECK-DAG: call {{.*}}i64 @limit()
// OPTIMISED: call i32 @perdure_transaction(ptr
// OPTIMISED-NOT: call i32 @perdure_transaction(ptr
int run(struct account* account) { return perdure_transaction(withdraw_twice, account); }

#ifdef __cplusplus
}
#endif
