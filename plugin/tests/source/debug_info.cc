// A line in a transaction can be a breakpoint: clones have its locations, under their own symbols.
// RUN: %clangxx -O0 -g -c %s -o %t.o
// RUN: llvm-dwarfdump --verify %t.o
// RUN: llvm-dwarfdump --name=perdure_tm__Z3addRl %t.o | FileCheck %s
// RUN: llvm-symbolizer --obj=%t.o --relative-address "perdure_tm__Z3addRl" | FileCheck %s --check-prefix=PLACE
// RUN: llvm-dwarfdump --debug-line %t.o | FileCheck %s --check-prefix=LINES
// RUN: %clangxx -O2 -g -c %s -o %t.o && llvm-dwarfdump --verify %t.o
#include "perdure/attributes.h"
#include "perdure/transaction.h"

// CHECK: DW_TAG_subprogram
// CHECK: DW_AT_linkage_name ("perdure_tm__Z3addRl")
// CHECK-NEXT: DW_AT_name ("add")
// CHECK-NEXT: DW_AT_decl_file ("{{.*}}debug_info.cc")
// CHECK-NEXT: DW_AT_decl_line ([[#@LINE+2]])
// PLACE: debug_info.cc:[[#@LINE+1]]
PERDURE_SAFE void add(long& counter) {
  counter += 1;
}

// Each of these two lines has code in the function and in the clone.
// LINES-COUNT-2: {{0x[0-9a-f]+ +}}[[#@LINE-4]]
