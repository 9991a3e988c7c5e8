// The macros go wherever a declaration has its words, and mean the same there; without the plugin they are nothing.
// RUN: %clangxx -Wall -Wextra -Werror -O0 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -std=gnu++17 -Wall -Wextra -Werror -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -std=c++23 -Wall -Wextra -Werror -fsyntax-only %s
// RUN: %plain_clangxx -Wall -Wextra -pedantic -Werror -fsyntax-only %s
// RUN: %plain_clangxx -std=gnu++17 -Wall -Wextra -pedantic -Werror -fsyntax-only %s
// RUN: g++ -std=c++20 -I%S/../../../include -Wall -Wextra -pedantic -Werror -fsyntax-only %s
#include "perdure/attributes.h"

// CHECK-LABEL: define {{.*}}@perdure_tm_calls(
// CHECK-NOT: {{@perdure_tm_.*(pure|stays).*\(}}
// CHECK: {{call|invoke}} {{.*}}@perdure_tm__Z18safe_behind_externi(
// CHECK-NOT: {{@perdure_tm_.*(pure|stays).*\(}}
// CHECK: {{call|invoke}} {{.*}}@perdure_tm__Z16safe_behind_typei(
// CHECK: {{call|invoke}} {{.*}}@perdure_tm__Z11replacementi(
// CHECK-NOT: {{@perdure_tm_.*(pure|stays).*\(}}
// CHECK: ret
PERDURE_PURE int pure_first(int);
extern PERDURE_PURE int pure_behind_extern(int);
extern int PERDURE_PURE pure_behind_type(int);
int pure_behind_declarator(int) PERDURE_PURE;
extern "C" PERDURE_PURE int pure_of_c(int);
extern "C" {
PERDURE_PURE extern int pure_in_block(int);
}
static PERDURE_PURE int pure_static(int value) { return value; }
inline PERDURE_PURE int pure_inline(int value) { return value; }
PERDURE_PURE static inline int pure_before_static(int value) { return value; }
constexpr PERDURE_PURE int pure_constexpr(int value) { return value; }
PERDURE_PURE constexpr int pure_before_constexpr(int value) { return value; }
[[nodiscard]] PERDURE_PURE int pure_behind_brackets(int);
__attribute__((cold)) PERDURE_PURE int pure_behind_another(int);
PERDURE_PURE __attribute__((cold)) int pure_before_another(int);
PERDURE_PURE auto pure_trailing(int) -> int;
PERDURE_PURE int pure_noexcept(int) noexcept;
PERDURE_PURE int* pure_pointer(int*);
const PERDURE_PURE int* pure_const(const int*);

template <class T>
PERDURE_PURE T pure_template(T value) {
  return value;
}
template <class T>
static inline PERDURE_PURE T pure_static_template(T value) {
  return value;
}

struct PureMembers {
  PERDURE_PURE explicit PureMembers(int value);
  PERDURE_PURE ~PureMembers();
  PERDURE_PURE int pure_member() const;
  static PERDURE_PURE int pure_static_member(int);
  PERDURE_PURE virtual int pure_virtual();
  virtual PERDURE_PURE int pure_behind_virtual();
  int pure_behind_member() const PERDURE_PURE;
  int PERDURE_PURE pure_inside(int value) const { return value + value_; }
  template <class T>
  PERDURE_PURE T pure_member_template(T value) const {
    return value;
  }
  PERDURE_PURE PureMembers& operator+=(int);  // pure
  friend PERDURE_PURE int pure_friend(const PureMembers&);
  PERDURE_PURE friend int pure_before_friend(const PureMembers&);
  int value_ = 0;
};
int pure_friend(const PureMembers&);
int pure_before_friend(const PureMembers&);

// Told by the declaration or by the definition.
PERDURE_PURE int pure_declared_only(int);
int pure_declared_only(int value) { return value; }
int pure_defined_only(int);
PERDURE_PURE int pure_defined_only(int value) { return value; }

extern PERDURE_SAFE int safe_behind_extern(int);
int PERDURE_SAFE safe_behind_type(int);
static PERDURE_UNSAFE void unsafe_static() {}

int replaced(int);
extern PERDURE_REPLACE(replaced) int replacement(int);
int other_replaced(int);
PERDURE_PURE extern PERDURE_REPLACE(other_replaced) int other_stays(int);

extern "C" PERDURE_SAFE int calls(int* shared) {
  int sum = pure_first(1) + pure_behind_extern(1) + pure_behind_type(1) + pure_behind_declarator(1) + pure_of_c(1) +
            pure_in_block(1) + pure_static(1) + pure_inline(1) + pure_before_static(1) + pure_constexpr(sizeof *shared) +
            pure_before_constexpr(sizeof *shared) + pure_behind_brackets(1) +
            pure_behind_another(1) + pure_before_another(1) + pure_trailing(1) + pure_noexcept(1) +
            pure_template(1) + pure_static_template(1) + pure_declared_only(1) + pure_defined_only(1);
  pure_pointer(shared);
  pure_const(shared);
  PureMembers members(3);
  sum += members.pure_member() + PureMembers::pure_static_member(1) + members.PureMembers::pure_virtual() +
         members.PureMembers::pure_behind_virtual() + members.pure_behind_member() + members.pure_inside(1) +
         members.pure_member_template(1) + pure_friend(members) + pure_before_friend(members);
  members += 1;
  return sum + safe_behind_extern(1) + safe_behind_type(1) + replaced(1) + other_replaced(1);
}

void uses() { unsafe_static(); }
