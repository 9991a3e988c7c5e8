// What is wrong with a transaction in C.
// RUN: not %clang -DBODY -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=BODY
// RUN: not %clang -DCALL -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=CALL
// RUN: not %plain_clang -DCALL -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=NO-PLUGIN
#include <stdio.h>

#include "perdure/c.h"

int elsewhere(void*);

// CALL: c.c:[[@LINE+6]]:3: error: call to 'puts' in a transaction cannot be made transactional
// CALL: c.c:[[@LINE+4]]:1: note: the transaction begins here
// CALL: c.c:[[@LINE+4]]:3: note: it reads or writes a stream, which an abort cannot undo: do it after the transaction
#ifdef CALL
#define body greet
static int greet(void* argument) {
  puts(argument);
  return 0;
}
#endif

// BODY: c.c:[[@LINE+7]]:{{.*}} error: the body of this transaction is not a function that is defined in this file
// BODY: note: use TM_BEGIN … TM_END or perdure::execute, or in C pass the function itself to perdure_transaction
// NO-PLUGIN: c.c:[[@LINE+5]]:{{.*}} error: 'perdure_transaction' is unavailable: transactions need the Perdure compiler plugin
#ifdef BODY
#define body elsewhere
#endif
int main(void) {
  return perdure_transaction(body, 0);
}
