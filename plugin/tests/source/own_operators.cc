// The program's own operators new and delete are handed to the runtime, and stay the program's where there is none.
// RUN: %clangxx -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -O2 %s -o %t && %t
// RUN: %clangxx -O2 -flto -fuse-ld=lld %s -o %t && %t
// RUN: %clangxx -O1 -fsanitize=thread -S -emit-llvm %s -o - | FileCheck %s --check-prefix=THREAD
// CHECK-DAG: define weak {{.*}}ptr @_Znwm(
// CHECK-DAG: define {{.*}}ptr @perdure_replaced__Znwm(
// CHECK-DAG: define weak void @_ZdlPv(
// CHECK-DAG: define {{.*}}void @perdure_replaced__ZdlPv(
// THREAD-NOT: perdure_replaced
#include <cstdlib>
#include <new>

static int made = 0;

void* operator new(std::size_t bytes) {
  ++made;
  return std::malloc(bytes);
}
void operator delete(void* block) noexcept {
  --made;
  std::free(block);
}

int main() {
  int* volatile number = new int(5);
  const bool is_called = made == 1;
  delete number;
  return is_called && made == 0 ? 0 : 1;
}
