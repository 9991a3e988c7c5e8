// What transactions do not support is refused by name, at its line.
// RUN: not %clangxx -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %clangxx -O2 -c %s -o %t.o 2>&1 | FileCheck %s
#include <atomic>
#include <cstdarg>
#include <functional>

#include "perdure/perdure.h"

struct Shape {
  virtual ~Shape() = default;
  virtual int corners() = 0;
};

int compute();

int shared;
std::atomic<int> counter;
volatile int device;

int sum(int count, ...) {
  va_list arguments;
  va_start(arguments, count);  // CHECK-DAG: [[@LINE]]:3: error: a function with variable arguments
  va_end(arguments);
  return count;
}

void all(Shape& shape, void (*function)(), std::function<void()>& callable) {
  TM_BEGIN {
    shape.corners();  // CHECK-DAG: [[@LINE]]:11: error: a call through a pointer
    function();       // CHECK-DAG: [[@LINE]]:5: error: a call through a pointer
    callable();       // CHECK-DAG: error: a call through a pointer
    ++counter;        // CHECK-DAG: error: an atomic access
    device = 1;       // CHECK-DAG: [[@LINE]]:12: error: a volatile access
    std::atomic_thread_fence(std::memory_order_seq_cst);  // CHECK-DAG: error: a memory fence
    asm volatile("" ::: "memory");
    asm volatile("movl $0, %0" : "=m"(shared));  // CHECK-DAG: [[@LINE]]:5: error: inline assembly
    // CHECK-DAG: [[@LINE+1]]:23: error: call to 'compute()'
    static int once = compute();  // CHECK-DAG: [[@LINE]]:5: error: the initialisation of a static local variable
    sum(1, 2);
    volatile int local = once;
    shared = local;
  } TM_END;
}
// CHECK: 10 errors generated
