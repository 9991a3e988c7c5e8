// Transactions call another function instead of one, wherever they come upon it.
// RUN: %clangxx -O0 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -O2 -S -emit-llvm %s -o - | FileCheck %s
#include <cstdio>

#include "perdure/attributes.h"
#include "perdure/transaction.h"

// A library's function.
[[perdure::replace(std::puts)]] PERDURE_PURE int put_later(const char* text);

// One that is overloaded: the one of the same type.
void note(int& to, long value) { to += static_cast<int>(value); }
double note(double value) { return value; }
static void note_in_transaction(int& to, long value);

// One that calls what it replaces; what may throw is no part of the type.
PERDURE_PURE long plain(long value) noexcept;
[[gnu::noinline]] PERDURE_REPLACE(plain) inline long wrapped(long value) { return plain(value) + 1; }

// One that another file defines, and that a file may only see the declaration of.
int elsewhere(int value);
PERDURE_REPLACE(elsewhere) int replacement_elsewhere(int value);
// CHECK-LABEL: define {{.*}}@perdure_tm__Z4workRil(
// CHECK-DAG: call {{.*}}i32 @_Z9put_laterPKc(
// CHECK-DAG: call {{.*}}void @perdure_tm__ZL19note_in_transactionRil(
// CHECK-DAG: call {{.*}}i64 @perdure_tm__Z7wrappedl(
// CHECK-DAG: call {{.*}}i32 @perdure_tm__Z21replacement_elsewherei(
// CHECK-NOT: call {{.*}}@puts(
// CHECK: ret
PERDURE_SAFE __attribute__((noinline)) long work(int& to, long value) {
  std::puts("text");
  note(to, value);
  return plain(value) + elsewhere(3);
}

// It may be told later in the file, too.
[[perdure::replace(note)]] __attribute__((noinline)) static void note_in_transaction(int& to, long value) {
  to -= static_cast<int>(value);
}
