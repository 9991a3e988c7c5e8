// What transactions do not support is refused by name, at its line.
// RUN: not %clangxx -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %clangxx -O2 -c %s -o %t.o 2>&1 | FileCheck %s
#include <csetjmp>
#include <cstdarg>

#include "perdure/transaction.h"

int compute();

int shared;
int __attribute__((address_space(256)))* segment;

struct Arguments {
  va_list list;
};

int sum(Arguments& arguments, int count, ...) {
  va_start(arguments.list, count);  // CHECK-DAG: [[@LINE]]:3: error: a va_list in a transaction that is not a local variable
  va_end(arguments.list);
  return count;
}

jmp_buf point;
int jump() { return setjmp(point); }    // CHECK-DAG: [[@LINE]]:21: error: call to '_setjmp' in a transaction
void back() { std::longjmp(point, 1); }  // CHECK-DAG: [[@LINE]]:15: error: call to 'longjmp' in a transaction

void all(Arguments& arguments) {
  TM_BEGIN {
    *segment = 1;  // CHECK-DAG: [[@LINE]]:14: error: an access to another address space
    asm volatile("" ::: "memory");
    asm volatile("movl $0, %0" : "=m"(shared));  // CHECK-DAG: [[@LINE]]:5: error: inline assembly
    static int once = compute();                 // runs as it is
    sum(arguments, 1, 2);
    jump();
    back();
    volatile int local = once;
    shared = local;
  } TM_END;
}
// CHECK: 5 errors generated
