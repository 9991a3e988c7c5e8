// A file without any sign of a transaction gets no locations, which would prolong its compilation.
// RUN: %clangxx -O0 -Xclang -disable-llvm-passes -S -emit-llvm %s -o - | FileCheck %s
// CHECK-LABEL: define {{.*}}@_Z3usev(
// CHECK-NOT: !dbg
// CHECK-LABEL: define {{.*}}@_ZN6before5otherEi(
// CHECK-NOT: !dbg
// CHECK-LABEL: define {{.*}}@_Z4textB5cxx11i(
// CHECK-NOT: !dbg
// CHECK: ret void
#include <string>

void elsewhere();

namespace before {
template <class T>
T function(T value) { return elsewhere(), value; }
inline int other(int value) { return function(value); }
}  // namespace before

int use() { return before::other(3); }
std::string text(int value) { return std::to_string(value); }
