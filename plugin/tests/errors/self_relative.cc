// Self-relative pointers need to know what a copy of a struct is of.
// RUN: not %clangxx -O0 -fplugin-arg-perdure-self-relative -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %clangxx -O2 -fno-strict-aliasing -fplugin-arg-perdure-self-relative -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clangxx -O1 -fplugin-arg-perdure-self-relative -c %s -o %t.o
// CHECK: error: self-relative pointers need -O1 or more, without -fno-strict-aliasing
struct List {
  List* next;
};
void copy(List& to, const List& from) { to = from; }

// What is compiled already follows native pointers.
// RUN: not %clangxx -O1 -DTREE -fplugin-arg-perdure-self-relative -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=TREE
// RUN: %clangxx -O1 -DTREE -c %s -o %t.o
#ifdef TREE
#include <set>

#include "perdure/transaction.h"

// TREE: error: libstdc++'s trees and lists follow native pointers, and the file asks for self-relative ones
// TREE: note: use another container, -stdlib=libc++, or no -fplugin-arg-perdure-self-relative
void insert(std::set<int>& numbers) {
  TM_BEGIN { numbers.insert(3); } TM_END;
}
#endif
