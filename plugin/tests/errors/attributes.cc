// Attributes that are misplaced or misspelt.
// RUN: not %clangxx -fsyntax-only %s 2>&1 | FileCheck %s

[[perdure::safe]] int variable;        // CHECK-DAG: [[@LINE]]:3: error: {{..}}perdure::safe]] belongs to a function
[[perdure::saif]] void misspelt();     // CHECK-DAG: [[@LINE]]:3: warning: unknown attribute '{{(perdure::)?}}saif' ignored
[[perdure::implements(3)]] void f();   // CHECK-DAG: [[@LINE]]:3: error: {{..}}perdure::implements]] takes the symbol
[[perdure::implements]] void g();      // CHECK-DAG: [[@LINE]]:3: error: '{{(perdure::)?}}implements' attribute takes one argument
[[implements("x")]] void k();          // CHECK-DAG: [[@LINE]]:3: warning: unknown attribute '{{.*}}implements' ignored
[[other::implements("x")]] void l();   // CHECK-DAG: [[@LINE]]:3: warning: unknown attribute '{{.*}}implements' ignored
__attribute__((perdure_safe)) int other;  // CHECK-DAG: [[@LINE]]:16: error: {{..}}perdure::safe]] belongs to a function
extern int __attribute__((perdure_replace(nothing))) m();  // CHECK-DAG: [[@LINE]]:43: error: {{..}}perdure::replace]] takes a function
[[perdure::pure]] void fine();         // CHECK-NOT: [[@LINE]]:{{.*}}pure
