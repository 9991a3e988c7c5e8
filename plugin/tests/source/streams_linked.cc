// With -flto, functions of streams that call virtual ones are not inlined before the linker has seen them.
// RUN: %clangxx -O2 -flto -S -emit-llvm %s -o - | FileCheck %s

#include <istream>

// CHECK-LABEL: define {{.*}}@_Z4takeRSiPc(
// CHECK: call {{.*}}@_ZN{{.*}}basic_streambuf{{.*}}5sgetnE
// CHECK: ret
long take(std::istream& in, char* to) { return in.rdbuf()->sgetn(to, 10); }
