// A call through a pointer to something without a clone ends the program, and says what, where and why.
// RUN: %plain_clangxx -DELSEWHERE -c %s -o %t.elsewhere.o
// RUN: %build_on_deferred_runtime -O0 %t.elsewhere.o
// RUN: not --crash %t.program elsewhere 2>&1 | FileCheck %s --check-prefixes=CHECK,ELSEWHERE
// RUN: not --crash %t.program local 2>&1 | FileCheck %s --check-prefixes=CHECK,LOCAL
// RUN: not --crash %t.program null 2>&1 | FileCheck %s --check-prefixes=CHECK,NULL
// RUN: not --crash %t.program unsafe 2>&1 | FileCheck %s --check-prefixes=CHECK,UNSAFE
// RUN: %t.program fine
// RUN: %build_on_deferred_runtime -O2 %t.elsewhere.o
// RUN: not --crash %t.program elsewhere 2>&1 | FileCheck %s --check-prefixes=CHECK,ELSEWHERE
// RUN: not --crash %t.program local 2>&1 | FileCheck %s --check-prefixes=CHECK,LOCAL
// RUN: %t.program fine
#include <cstdio>
#include <string>

#include "perdure/attributes.h"
#include "perdure/transaction.h"

using Action = int (*)();
struct Thing {
  virtual int act(int) = 0;
};
Thing* thing_elsewhere();

#ifdef ELSEWHERE
namespace {
struct Hidden : Thing {
  int act(int value) override { return value; }
};
}  // namespace

Thing* thing_elsewhere() {
  static Hidden hidden;
  return &hidden;
}
#else

// ELSEWHERE: perdure: a transaction calls '(anonymous namespace)::Hidden::act(int)' through a pointer, but it has no transactional clone
// ELSEWHERE-NEXT: at {{.*}}no_clone.cc:[[@LINE+2]]:{{[0-9]+}}, in 'call_it(Thing&)', reached from {{.*}}no_clone.cc:[[#@LINE+36]]:1
// ELSEWHERE-NEXT: because no file that was compiled with the plugin offers one
int call_it(Thing& thing) { return thing.act(3); }

// LOCAL: perdure: a transaction calls 'says_so()' through a pointer, but
// LOCAL: because {{.*}}no_clone.cc:[[@LINE+3]]:{{[0-9]+}}: call to 'puts' in a transaction cannot be made transactional

static int says() {
  return std::puts("not undone");
}
static int says_so() { return says() + 1; }

// NULL: perdure: a transaction calls a null pointer
// UNSAFE: perdure: a transaction calls 'forbidden()' through a pointer, but
// UNSAFE: because it is marked {{..}}perdure::unsafe]]
PERDURE_UNSAFE int forbidden() { return 0; }
PERDURE_PURE int pure() { return std::puts("as it is"); }
int fine() { return 3; }

Action actions[] = {says_so, nullptr, forbidden, pure, fine};

int main(int, char** arguments) {
  const std::string what = arguments[1];
  int result = 0;
  Thing* const thing = thing_elsewhere();
  // CHECK-NOT: never
  if (what == "fine") {
    TM_BEGIN { result = actions[3]() + actions[4](); } TM_END;
    return result < 3;
  }
  TM_BEGIN {
    if (what == "local") result = actions[0]();
    if (what == "null") result = actions[1]();
    if (what == "unsafe") result = actions[2]();
  } TM_END;
  if (what == "elsewhere")
    TM_BEGIN { result = call_it(*thing); } TM_END;
  std::puts("never reached");
  return result;
}
#endif
