// Streams that cannot be taken back, and libraries whose code is elsewhere: with what would help.
// RUN: not %clangxx -std=c++20 -c %s -o %t.o 2>&1 | FileCheck %s
#include <iostream>

#include "perdure/transaction.h"

namespace fmt {
void print_it(int);
}
namespace absl {
int hash_it(const int&);
}

int shared;

int main() {
  TM_BEGIN {
    std::cout << shared;      // CHECK-DAG: [[@LINE]]:15: error: std::cout in a transaction
    fmt::print_it(shared);    // CHECK-DAG: [[@LINE]]:5: error: call to 'fmt::print_it(int)'
    shared = absl::hash_it(shared);  // CHECK-DAG: [[@LINE]]:14: error: call to 'absl::hash_it(int const&)'
  } TM_END;
}
// CHECK-DAG: note: it reads or writes a stream
// CHECK-DAG: note: -DFMT_HEADER_ONLY
// CHECK-DAG: note: what Abseil keeps
