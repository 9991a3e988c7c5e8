// Files that know nothing of transactions, as those of libraries are, are part of one with -flto. What is wrong in them
// is said with its place, and with the call that led there, without debug information, too.
// RUN: %clangxx -DCALLER -O1 -flto -c %s -o %t.caller.o && %clangxx -O1 -flto -c %s -o %t.callee.o
// RUN: not %clangxx -flto -fuse-ld=lld -shared -Wl,--load-pass-plugin=%plugin %t.caller.o %t.callee.o -o %t.so 2>&1 \
// RUN:   | FileCheck %s
// RUN: %clangxx -DCALLER -O0 -flto -c %s -o %t.caller.o && %clangxx -O0 -flto -c %s -o %t.callee.o
// RUN: not %clangxx -flto -fuse-ld=lld -shared -Wl,--load-pass-plugin=%plugin %t.caller.o %t.callee.o -o %t.so 2>&1 \
// RUN:   | FileCheck %s
void tell(const char* text);

#ifdef CALLER
#include "perdure/attributes.h"

// CHECK: whole_program_plain.cc:[[@LINE+8]]:31: error: call to 'printf' in a transaction cannot be made transactional
// CHECK-NEXT: note: called from {{.*}}whole_program_plain.cc:[[@LINE+3]]:44, in 'work(char const*)'
// CHECK-NEXT: whole_program_plain.cc:[[@LINE+6]]:31: note: it reads or writes a stream
// CHECK-NOT: the transaction begins here
PERDURE_SAFE void work(const char* text) { tell(text); }
#else
#include <cstdio>

void tell(const char* text) { std::printf("%s", text); }
#endif
