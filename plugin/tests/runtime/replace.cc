// RUN: %run_on_deferred_runtime -O0
// RUN: %run_on_deferred_runtime -O2
// RUN: %if long %{ %run_on_deferred_runtime -O2 -flto -fuse-ld=lld %}
// RUN: %run_on_deferred_runtime -O2 -fplugin-arg-perdure-write-only

// Functions that replace others in transactions are called there, directly and through pointers, and nowhere else.
#include <cstdio>
#include <cstdlib>

#include "deferred_runtime.h"
#include "perdure/transaction.h"

namespace {

long journal = 0;

void print(const char*, long) { journal += 1000; }
[[perdure::replace(print)]] void remember(const char*, long value) { journal += value; }

int (*volatile opaque)(int) = nullptr;
int twice(int value) { return 2 * value; }
[[perdure::replace(twice)]] int thrice(int value) { return 3 * value; }

void require(bool condition, const char* what) {
  if (condition) return;
  std::printf("%s\n", what);
  std::exit(1);
}

}  // namespace

int main() {
  print("outside", 1);
  require(journal == 1000, "replaced outside of a transaction");
  opaque = twice;
  int (*const pointer)(int) = opaque;
  int result = 0;
  TM_BEGIN {
    print("inside", 5);
    result = pointer(7);
  } TM_END;
  require(journal == 1005, "not replaced in a transaction");
  require(result == 21, "not replaced when called through a pointer");
  require(opaque(7) == 14, "replaced outside of a transaction, through a pointer");
  require(deferred_runtime::aborted_attempts() > 0, "nothing was aborted");
}
