// What a message is about is underlined: the whole call, the whole assignment, the statement.
// RUN: not %clangxx -fdiagnostics-print-source-range-info -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %clangxx -O2 -g -fdiagnostics-print-source-range-info -c %s -o %t.o 2>&1 | FileCheck %s
#include "perdure/transaction.h"

struct Device {
  int read(int number);
  int __attribute__((address_space(256)))* state;
};

template <class T>
int twice(T& device, int number) {
  return 2 * device.read(number);  // CHECK-DAG: ranges.cc:[[@LINE]]:21:{{[{]}}[[@LINE]]:14-[[@LINE]]:33{{[}]}}: error: call to 'Device::read(int)'
}

int use(Device& device) {
  int result = 0;
  TM_BEGIN {
    result = twice(device, 3);            // CHECK-DAG: ranges.cc:[[@LINE]]:14:{{[{]}}[[@LINE]]:14-[[@LINE]]:30{{[}]}}: note: called from here
    *device.state = result;               // CHECK-DAG: ranges.cc:[[@LINE]]:19:{{[{]}}[[@LINE]]:5-[[@LINE]]:27{{[}]}}: error: an access to another address space
    asm("movl $0, %0" : "=m"(result) : );  // CHECK-DAG: ranges.cc:[[@LINE]]:5:{{[{]}}[[@LINE]]:5-[[@LINE]]:41{{[}]}}: error: inline assembly
  } TM_END;
  return result;
}
