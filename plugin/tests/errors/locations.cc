// Functions that come before the first sign of a transaction have locations in messages, too.
// RUN: not %clangxx -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %clangxx -DONLY_ATTRIBUTE -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=ATTRIBUTE

void elsewhere();

namespace before {
// CHECK: locations.cc:[[@LINE+2]]:30: error: call to 'elsewhere()' in a transaction cannot be made transactional
template <class T>
T function(T value) { return elsewhere(), value; }
inline int other(int value) { return function(value); }
// CHECK: locations.cc:[[@LINE-1]]:38: note: called from here, in 'before::other(int)'
// ATTRIBUTE: locations.cc:[[@LINE-3]]:30: error: call to 'elsewhere()'
}  // namespace before

#ifndef ONLY_ATTRIBUTE
#include "perdure/transaction.h"

int use() {
  return perdure::execute([] { return before::other(3); });
}
#else
struct Type {
  [[perdure::safe]] int method() { return before::other(3); }
};
int use(Type& object) { return object.method(); }
#endif
