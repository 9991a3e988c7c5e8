// The macros in C, wherever a declaration has its words, in any standard.
// RUN: %clang -std=c99 -Wall -Wextra -Werror -O0 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -std=gnu17 -Wall -Wextra -Werror -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -std=c23 -DBRACKETS -Wall -Wextra -pedantic -Werror -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %plain_clang -std=c99 -Wall -Wextra -pedantic -Werror -fsyntax-only %s
// RUN: %plain_clang -std=gnu23 -Wall -Wextra -pedantic -Werror -fsyntax-only %s
// RUN: gcc -std=c99 -I%S/../../../include -Wall -Wextra -pedantic -Werror -fsyntax-only %s
#include "perdure/attributes.h"

// CHECK-LABEL: define {{.*}}@perdure_tm_calls(
// CHECK-NOT: {{@perdure_tm_.*(pure|stays).*\(}}
// CHECK: call {{.*}}@perdure_tm_safe_behind_extern(
// CHECK: call {{.*}}@perdure_tm_replacement(
// CHECK-NOT: {{@perdure_tm_.*(pure|stays).*\(}}
// CHECK: ret
PERDURE_PURE int pure_first(int);
extern PERDURE_PURE int pure_behind_extern(int);
extern int PERDURE_PURE pure_behind_type(int);
int pure_behind_declarator(int) PERDURE_PURE;
static PERDURE_PURE int pure_static(int value) { return value; }
static inline PERDURE_PURE int pure_inline(int value) { return value; }
const PERDURE_PURE char* pure_const(const char*);
struct pair {
  int first, second;
};
PERDURE_PURE struct pair pure_struct(int);
extern struct pair PERDURE_PURE pure_behind_struct(int);
int pure_defined_only(int);
PERDURE_PURE int pure_defined_only(int value) { return value; }
#ifdef BRACKETS
[[perdure::pure]] int pure_in_brackets(int);
[[nodiscard]] PERDURE_PURE int pure_behind_brackets(int);
#endif

extern PERDURE_SAFE int safe_behind_extern(int);
static PERDURE_UNSAFE void unsafe_static(void) {}
int replaced(int);
PERDURE_REPLACE(replaced) int replacement(int value);

PERDURE_SAFE int calls(int* shared) {
  int sum = pure_first(1) + pure_behind_extern(1) + pure_behind_type(1) + pure_behind_declarator(1) + pure_static(1) +
            pure_inline(1) + pure_defined_only(1) + safe_behind_extern(1) + replaced(1) + *shared;
#ifdef BRACKETS
  sum += pure_in_brackets(1) + pure_behind_brackets(1);
#endif
  return sum + *pure_const("text") + pure_struct(1).first + pure_behind_struct(1).second;
}

void uses(void) { unsafe_static(); }
