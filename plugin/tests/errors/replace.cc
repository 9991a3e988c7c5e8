// What [[perdure::replace]] does not take.
// RUN: not %clangxx -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: not %clangxx -DUNSAFE -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=UNSAFE
#include "perdure/attributes.h"
#include "perdure/transaction.h"

int function(int value);
struct Type {
  int method(int value);
  static int of_type(int value);
  [[perdure::replace(Type::of_type)]] static int instead(int value);
#ifndef UNSAFE
  // CHECK-DAG: [[@LINE+1]]:22: error: {{..}}perdure::replace]] takes a function that is declared before
  [[perdure::replace(function)]] int member(int value);
#endif
};

#ifndef UNSAFE
// CHECK-DAG: [[@LINE+1]]:20: error: {{..}}perdure::replace]] takes a function that is declared before
[[perdure::replace(no_function)]] int a(int value);
// CHECK-DAG: [[@LINE+1]]:20: error: 'b' cannot replace 'function': its type is 'long (int)', not 'int (int)'
[[perdure::replace(function)]] long b(int value);
// CHECK-DAG: [[@LINE+1]]:20: error: {{..}}perdure::replace]] takes a function that is declared before
[[perdure::replace(3)]] int c(int value);
// CHECK-DAG: [[@LINE+1]]:20: error: {{..}}perdure::replace]] takes a function that is declared before
[[perdure::replace(&Type::method)]] int d(int value);
// CHECK-DAG: [[@LINE+1]]:3: error: '{{(perdure::)?}}replace' attribute takes one argument
[[perdure::replace]] int e(int value);
// CHECK-DAG: [[@LINE+1]]:3: error: {{..}}perdure::replace]] belongs to a function
[[perdure::replace(function)]] int variable;
#else
// UNSAFE: [[@LINE+3]]:{{[0-9]+}}: error: call to 'refused(int)' in a transaction, but it is marked {{..}}perdure::unsafe
[[perdure::replace(function)]] [[perdure::unsafe]] int refused(int value);
PERDURE_SAFE int work(int value) {
  return function(value);
}
#endif
