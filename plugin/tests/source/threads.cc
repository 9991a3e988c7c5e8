// What only new threads begin with has no clone, in C++ and C: a program's whole work may hang on it. A function that a
// transaction may call through a pointer has one.
// RUN: %clangxx -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %if libc++ %{ %clangxx -O1 -stdlib=libc++ -S -emit-llvm %s -o - | FileCheck %s %}
#include <pthread.h>

#include <thread>

#include "perdure/transaction.h"

long count;

__attribute__((noinline)) void work() { ++count; }
void* begin(void*) {
  work();
  return nullptr;
}
void other() { count += 2; }
void (*chosen)() = other;

void run() {
  std::thread thread([] { work(); });
  thread.join();
  pthread_t second;
  pthread_create(&second, nullptr, begin, nullptr);
  pthread_join(second, nullptr);
  TM_BEGIN { ++count; } TM_END;
}

// CHECK-NOT: @perdure_tm_{{.*(work|begin|thread)}}
// CHECK: define {{.*}}@perdure_tm__Z5otherv
// CHECK-NOT: @perdure_tm_{{.*(work|begin|thread)}}
