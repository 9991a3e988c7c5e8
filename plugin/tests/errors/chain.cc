// An error stands at the call, with the chain of calls from the transaction to it; all errors are found at once.
// RUN: not %clangxx -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %clangxx -O2 -g -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not ls %t.o
#include <cstdio>

#include "perdure/attributes.h"
#include "perdure/transaction.h"

struct Account {
  long balance;
};

void log_transfer(long amount) {
  std::printf("%ld\n", amount);  // CHECK-DAG: chain.cc:[[@LINE]]:3: error: call to 'printf' in a transaction cannot be made
}

template <class T>
void deposit(T& account, long amount) {
  account.balance += amount;
  // CHECK-DAG: chain.cc:[[@LINE+1]]:3: note: called from here, in 'void deposit<Account>(Account&, long)'
  log_transfer(amount);
}

PERDURE_UNSAFE void notify() {}

void transfer(Account& from, Account& to) {
  TM_BEGIN {  // CHECK-DAG: chain.cc:[[@LINE]]:{{[0-9]+}}: note: the transaction begins here
    from.balance -= 1;
    deposit(to, 1);  // CHECK-DAG: chain.cc:[[@LINE]]:5: note: called from here, in 'transfer(Account&, Account&)::$_0
    notify();  // CHECK-DAG: chain.cc:[[@LINE]]:5: error: call to 'notify()' in a transaction, but it is marked {{..}}perdure::unsafe]]
  } TM_END;
}

int balance(Account& account) {
  return perdure::execute([&] {  // CHECK-DAG: chain.cc:[[@LINE]]:{{[0-9]+}}: note: the transaction begins here
    std::puts("reading");  // CHECK-DAG: chain.cc:[[@LINE]]:5: error: call to 'puts' in a transaction
    return account.balance;
  });
}

// Not called by anyone here, but by transactions in other files.
// CHECK-DAG: chain.cc:[[@LINE+1]]:{{[0-9]+}}: note: 'offered()' is marked {{..}}perdure::safe]] here: transactions may call it
PERDURE_SAFE void offered() {
  std::puts("offered");  // CHECK-DAG: chain.cc:[[@LINE]]:3: error: call to 'puts' in a transaction
}

void undefined();  // in another file
PERDURE_SAFE void calls_undefined() {
  undefined();  // CHECK-DAG: chain.cc:[[@LINE]]:3: error: call to 'undefined()' in a transaction
}

// Outside of transactions everything is allowed.
void unrelated() { std::puts("unrelated"); }

// CHECK-DAG: note: its definition is not in this file: declare it {{..}}perdure::safe]] if {{.*}} or {{..}}perdure::pure]]
// CHECK-DAG: note: it reads or writes a stream, which an abort cannot undo
// CHECK: 5 errors generated
