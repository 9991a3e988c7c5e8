// REQUIRES: gdb
// RUN: %build_on_deferred_runtime -O0 -g
// RUN: gdb -nx -batch -x %S/Inputs/debugger.gdb %t.program 2>&1 | FileCheck %s --check-prefixes=CHECK,FRAMES
// RUN: %build_on_deferred_runtime -O1 -g
// RUN: gdb -nx -batch -x %S/Inputs/debugger.gdb %t.program 2>&1 | FileCheck %s

// A debugger stops on a line inside of a transaction, in the clone, and knows where it came from and the arguments.
#include "deferred_runtime.h"
#include "perdure/transaction.h"

struct Account {
  long balance = 7;
};

// CHECK: debugger.cc:[[#LINE:]]
// CHECK: perdure_tm__Z7depositR7Accountl {{.*}}in section .text
// CHECK: #0 {{.*}}deposit{{.*}} (account=..., amount=35) at {{.*}}debugger.cc:[[#LINE]]
// FRAMES: #1 {{.*}}debugger.cc:[[#LINE+6]]
// CHECK: $1 = 35
[[gnu::noinline]] void deposit(Account& account, long amount) {
  account.balance += amount;  // stop here
}

Account account;

int main() {
  TM_BEGIN { deposit(account, 35); } TM_END;
  return account.balance == 42 ? 0 : 1;
}
