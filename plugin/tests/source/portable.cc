// Which blocks are portable, and why the others are not: with -O0 and with -O2 the same.
// RUN: %clangxx -O0 -Wno-vla-extension -fplugin-arg-perdure-portable -fplugin-arg-perdure-warn-not-portable -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning:
// RUN: %clangxx -O2 -Wno-vla-extension -fplugin-arg-perdure-portable -fplugin-arg-perdure-warn-not-portable -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning:
// RUN: %clangxx -O2 -fplugin-arg-perdure-portable -Rpass=perdure -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: %clangxx -O2 -fplugin-arg-perdure-report=%t.json -c %s -o %t.o && FileCheck %s --check-prefix=REPORT --input-file=%t.json
// RUN: %clangxx -O2 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=OFF
// OFF-NOT: run_operation
#include "perdure/attributes.h"
#include "perdure/nested.h"
#include "perdure/transaction.h"

struct Node {
  long key;
  Node* next;
};
struct List {
  Node* head;
  long size;
};
struct Range {
  long first, last;
};

// What is portable: nothing is said of it.
int adds(List& list, int count) {
  int before = 0;
  // REMARK: portable.cc:[[@LINE+1]]:{{.*}}remark: block is portable
  TM_BEGIN {
    before = static_cast<int>(list.size);
    list.size += count;
  }
  TM_END;
  return before;
}
long gives_a_result(List& list, long key) {
  return TM_BEGIN {
    for (Node* node = list.head; node != nullptr; node = node->next)
      if (node->key == key) return node->key;
    return -1L;
  }
  TM_END;
}
void has_an_inner_closure(List* list, long key) {
  const auto link = [&] { list->head = new Node{key, list->head}; };
  TM_BEGIN {
    link();
    list->size++;
  }
  TM_END;
}
Range works_on_a_structure(List& list) {
  Range range{1, 2};
  TM_BEGIN {
    range.first += list.size;
    range.last = range.first;
  }
  TM_END;
  return range;
}
void captures_values(List* list, long key) {
  perdure::execute([=] { list->size = key; });
}

// What is not.
long total;
void uses_a_variable() {
  // CHECK: portable.cc:[[@LINE+2]]:{{.*}}warning: this block is not portable: only its own thread can run it
  // CHECK: portable.cc:[[@LINE+1]]:{{.*}}note: it accesses 'total', which lies in no pool
  TM_BEGIN { ++total; }
  TM_END;
}
thread_local long calls;
void uses_a_thread_local_variable(List& list) {
  // CHECK: portable.cc:[[@LINE+2]]:{{.*}}warning: this block is not portable
  // CHECK: portable.cc:[[@LINE+1]]:{{.*}}note: it uses a variable of the thread
  TM_BEGIN { list.size += calls; }
  TM_END;
}
void keep(long* address);
void gives_an_address_away(List& list) {
  long local = 0;
  // CHECK: portable.cc:[[@LINE+3]]:{{.*}}warning: this block is not portable
  // CHECK: portable.cc:[[@LINE+1]]:{{.*}}note: the address of a local that it captures may be kept elsewhere
  keep(&local);
  TM_BEGIN { list.size += local; }
  TM_END;
}
void publishes(List& list) {
  Node local{1, nullptr};
  // CHECK: portable.cc:[[@LINE+2]]:{{.*}}warning: this block is not portable
  // CHECK: portable.cc:[[@LINE+1]]:{{.*}}note: the address of a local that it captures may be kept elsewhere
  TM_BEGIN { list.head = &local; }
  TM_END;
}
PERDURE_PURE long draws_lots();
void calls_a_pure_function(List& list) {
  // CHECK: portable.cc:[[@LINE+2]]:{{.*}}warning: this block is not portable
  // CHECK: portable.cc:[[@LINE+1]]:{{.*}}note: it calls 'draws_lots()' as it is
  TM_BEGIN { list.size = draws_lots(); }
  TM_END;
}
PERDURE_SAFE long elsewhere();
void calls_another_file(List& list) {
  // CHECK: portable.cc:[[@LINE+2]]:{{.*}}warning: this block is not portable
  // CHECK: portable.cc:[[@LINE+1]]:{{.*}}note: it calls 'elsewhere()', which is defined in another file
  TM_BEGIN { list.size = elsewhere(); }
  TM_END;
}
void calls_through_a_pointer(List& list, long (*function)()) {
  // CHECK: portable.cc:[[@LINE+2]]:{{.*}}warning: this block is not portable
  // CHECK: portable.cc:[[@LINE+1]]:{{.*}}note: it calls a function through a pointer
  TM_BEGIN { list.size = function(); }
  TM_END;
}
struct Counted {
  Counted();
  long count;
};
void has_a_static_local(List& list) {
  // CHECK: portable.cc:[[@LINE+2]]:{{.*}}warning: this block is not portable
  // CHECK: portable.cc:[[@LINE+2]]:{{.*}}note: it {{.*}} a static variable
  TM_BEGIN {
    static Counted counted;
    list.size = 1;
  }
  TM_END;
}
void captures_an_array_of_any_size(List& list, unsigned long count) {
  long array[count];
  array[0] = 1;
  // CHECK: portable.cc:[[@LINE+1]]:{{.*}}warning: this block is not portable
  TM_BEGIN { list.size += array[0]; }
  TM_END;
}
void captures_much(List& list) {
  long array[10000];
  array[list.size] = 1;
  // CHECK: portable.cc:[[@LINE+2]]:{{.*}}warning: this block is not portable
  // CHECK: note: it captures more than 65536 bytes of locals
  TM_BEGIN { list.size += array[list.size]; }
  TM_END;
}
void has_two_ways(List& list, bool first) {
  long one = 1, other = 2;
  long* const chosen = first ? &one : &other;
  // CHECK: portable.cc:[[@LINE+2]]:{{.*}}warning: this block is not portable
  // CHECK: note: a pointer in what it captures may lead to different locals
  TM_BEGIN { list.size += *chosen; }
  TM_END;
}
void keeps_an_own_address(List& list) {
  long local = 1;
  long* pointer = nullptr;
  // CHECK: portable.cc:[[@LINE+2]]:{{.*}}warning: this block is not portable
  // CHECK: portable.cc:[[@LINE+1]]:{{.*}}note: a pointer in what it captures may lead to different locals
  TM_BEGIN { pointer = &local; list.size = local; }
  TM_END;
  *pointer = 2;
}

// REPORT: "blocks": [
// REPORT: "obstacle": null
// REPORT: "portable": true
// REPORT: "obstacle": {
// REPORT: "kind": "variable",
// REPORT: "kind": "thread-local",
// REPORT: "kind": "escape",
// REPORT: "kind": "kept-call",
// REPORT: "kind": "other-file",
// REPORT: "kind": "pointer-call",
// REPORT: "kind": "static-local",
// REPORT: "kind": "size",
// REPORT: "kind": "pointer",
