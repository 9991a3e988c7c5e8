// Functions that come before the first sign of a transaction have locations in messages, too; a file without any sign gets
// none, which would prolong its compilation.
// RUN: not %clangxx -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clangxx -DNO_TRANSACTIONS -O0 -Xclang -disable-llvm-passes -S -emit-llvm %s -o - | FileCheck %s --check-prefix=NONE
// RUN: not %clangxx -DNO_TRANSACTIONS -DONLY_ATTRIBUTE -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=ATTRIBUTE
// NONE-LABEL: define {{.*}}@_Z3usev(
// NONE-NOT: !dbg
// NONE-LABEL: define {{.*}}@_ZN6before5otherEi(
// NONE-NOT: !dbg
// NONE-LABEL: define {{.*}}@_Z4textB5cxx11i(
// NONE-NOT: !dbg
// NONE: ret void
#include <string>

void elsewhere();

namespace before {
// CHECK: locations.cc:[[@LINE+2]]:30: error: call to 'elsewhere()' in a transaction cannot be made transactional
template <class T>
T function(T value) { return elsewhere(), value; }
inline int other(int value) { return function(value); }
// CHECK: locations.cc:[[@LINE-1]]:38: note: called from here, in 'before::other(int)'
// ATTRIBUTE: locations.cc:[[@LINE-3]]:30: error: call to 'elsewhere()'
}  // namespace before

#ifndef NO_TRANSACTIONS
#include "perdure/transaction.h"

int use() {
  return perdure::execute([] { return before::other(3); });
}
#elif defined(ONLY_ATTRIBUTE)
struct Type {
  [[perdure::safe]] int method() { return before::other(3); }
};
int use(Type& object) { return object.method(); }
#else
int use() { return before::other(3); }
std::string text(int value) { return std::to_string(value); }
#endif
