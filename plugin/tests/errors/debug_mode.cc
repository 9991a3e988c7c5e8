// Containers of libstdc++'s debug mode are refused, with what to do instead.
// RUN: not %clangxx -D_GLIBCXX_DEBUG -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clangxx -D_GLIBCXX_ASSERTIONS -c %s -o %t.o
#include <vector>

#include "perdure/transaction.h"

void add(std::vector<int>& numbers) {
  TM_BEGIN { numbers.push_back(numbers.front()); } TM_END;
}
// CHECK: error: call to '{{.*}}__gnu_debug::{{.*}}' in a transaction cannot be made transactional
// CHECK: note: containers of libstdc++'s debug mode keep lists of iterators{{.*}}without -D_GLIBCXX_DEBUG
