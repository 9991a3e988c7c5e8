// A root with virtual functions is refused where it is asked for.
// RUN: not %clangxx -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: %clangxx -fsyntax-only -DPLAIN %s
#include "perdure/pool.h"

struct Shape {
#ifndef PLAIN
  virtual ~Shape() = default;
#endif
  long side = 0;
};

// CHECK: error: static assertion failed{{.*}}: a root cannot have virtual functions: its pointer to their table is dead in the next run of the program. Keep a std::variant
// CHECK: note: in instantiation of function template specialization 'perdure::Pool::root<Shape>' requested here
long side_of(perdure::Pool& pool) { return pool.root<Shape>("shape").side; }
