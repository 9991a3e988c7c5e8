// Another file may keep the address of a constant and not know its size. So its own file tells of it, also one without
// transactions, if the program has a runtime; and what is stored goes through perdure_code_address.
// RUN: %clang -O2 -S -emit-llvm -DDEFINES %s -o - | FileCheck %s --check-prefix=DEFINES
// RUN: %clang -O2 -S -emit-llvm %s -o - | FileCheck %s
#ifdef DEFINES
// DEFINES-DAG: c"=table\00"
// DEFINES-DAG: c"=settings\00"
// DEFINES-DAG: @perdure.code = internal constant [2 x
// DEFINES-DAG: declare extern_weak void @perdure_add_code
// DEFINES-DAG: icmp {{eq|ne}} ptr @perdure_add_code, null
// DEFINES-DAG: call void @perdure_add_code(ptr {{(nonnull )?}}@perdure.code, i64 2)
const unsigned char table[] = {1, 2, 3, 4};
struct settings {
  int values[2];
};
const struct settings settings = {{5, 6}};
const int limit = 7;
static const int own[] = {8, 9};
int variable[] = {10};
int look_up(int i) { return own[i & 1] + variable[0]; }
#else
#include "perdure/attributes.h"
extern const unsigned char table[];
extern const struct settings settings;
struct places {
  const unsigned char* table;
  const struct settings* settings;
};
// CHECK-LABEL: define {{.*}}@perdure_tm_fill
// CHECK: call ptr @perdure_code_address(ptr {{.*}}, ptr {{.*}}@table
// CHECK: call ptr @perdure_code_address(ptr {{.*}}, ptr {{.*}}@settings
PERDURE_SAFE void fill(struct places* places) {
  places->table = table;
  places->settings = &settings;
}
#endif
