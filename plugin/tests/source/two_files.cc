// A function declared safe: its file offers a clone, other files call it.
// RUN: %clangxx -DDEFINITION -S -emit-llvm %s -o - | FileCheck %s --check-prefix=DEFINITION
// RUN: %clangxx -DDEFINITION -O2 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=DEFINITION
// RUN: %clangxx -DUSE -S -emit-llvm %s -o - | FileCheck %s --check-prefix=USE
// RUN: %clangxx -DUSE -O2 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=USE
#include "perdure/attributes.h"
#include "perdure/transaction.h"

struct Account {
  PERDURE_SAFE explicit Account(long balance);
  PERDURE_SAFE void deposit(long amount);
  long balance;
};

PERDURE_SAFE long total(const Account* accounts, int count);
PERDURE_PURE int scale(int value);

#ifdef DEFINITION
// The complete constructor is an alias of the base one.
// DEFINITION-DAG: @perdure_tm__ZN7AccountC1El = {{.*}}alias {{.*}}@perdure_tm__ZN7AccountC2El
// DEFINITION-DAG: define {{.*}}void @perdure_tm__ZN7AccountC2El(
// DEFINITION-DAG: define {{.*}}void @perdure_tm__ZN7Account7depositEl(
// DEFINITION-DAG: define {{.*}}i64 @perdure_tm__Z5totalPK7Accounti(
// DEFINITION-DAG: call {{.*}}i32 @_Z5scalei(
// DEFINITION-NOT: @perdure_tm__Z8unmarkedv(
Account::Account(long start) : balance(start) {}
void Account::deposit(long amount) { balance += scale(static_cast<int>(amount)); }
long total(const Account* accounts, int count) {
  long sum = 0;
  for (int i = 0; i < count; ++i) sum += accounts[i].balance;
  return sum;
}
void unmarked() {}
#endif

#ifdef USE
// USE-DAG: call void @perdure_tm__ZN7AccountC1El(
// USE-DAG: call void @perdure_tm__ZN7Account7depositEl(
// USE-DAG: call {{.*}}i64 @perdure_tm__Z5totalPK7Accounti(
// USE-DAG: call {{.*}}i32 @_Z5scalei(
// USE-DAG: declare {{.*}}@perdure_tm__ZN7AccountC1El(
long use(int count) {
  return perdure::execute([&] {
    Account account(5);
    account.deposit(count);
    return total(&account, 1) + scale(3);
  });
}
#endif
