// libc++'s filesystem_error cannot be made or destroyed in transactions; libstdc++'s can.
// REQUIRES: libc++
// RUN: not %clangxx -stdlib=libc++ -O0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %clangxx -stdlib=libc++ -O2 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clangxx -O0 -c %s -o %t.o
// RUN: %clangxx -O2 -c %s -o %t.o
#include <filesystem>
#include <system_error>

#include "perdure/transaction.h"

void fail(std::error_code code) {
  TM_BEGIN {
    // CHECK: error: call to 'std::{{.*}}filesystem_error::{{.*}}' in a transaction cannot be made transactional
    // CHECK: note: libc++ makes parts of this error in its headers, {{.*}}: throw a std::system_error, or make it outside
    throw std::filesystem::filesystem_error("reading", code);
  } TM_END;
}
