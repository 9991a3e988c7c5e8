; Checked builds: calls of the runtime before accesses that may concern pools, in clones and outside of transactions.
; RUN: %opt -passes=perdure-clone,perdure-instrument-checked %s | FileCheck %s
; RUN: %opt -passes=perdure-clone,perdure-instrument-checked -perdure-disable-elision=captured %s | FileCheck %s --check-prefix=SHARED
; RUN: %opt -passes=perdure-clone,perdure-instrument %s | FileCheck %s --check-prefix=ORDINARY
; ORDINARY-NOT: @perdure_check
; ORDINARY-NOT: @perdure_run_checked
target triple = "x86_64-unknown-linux-gnu"

@global = global i64 0

; A place that is not known has a name, too.
; CHECK-DAG: @perdure.place{{.*}} = private unnamed_addr constant {{.*}} c"<unknown place>, in 'outside'\00"

declare ptr @_Znwm(i64)
declare void @_ZdlPv(ptr)
declare void @free(ptr)
declare i64 @strlen(ptr)
declare void @_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_(i1, ptr, ptr, ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @perdure_run(ptr, ptr)

; Outside of transactions every function is checked; the stack and variables need nothing.
; CHECK-LABEL: define void @outside(
; CHECK: call void @perdure_check_access(ptr %from, i64 8, ptr @perdure.place{{.*}})
; CHECK-NEXT: %value = load i64, ptr %from
; CHECK-NEXT: store i64 %value, ptr @global
; CHECK-NEXT: store i64 %value, ptr %local
; CHECK-NEXT: call void @perdure_check_access(ptr %to, i64 8, ptr @perdure.place
; CHECK-NEXT: call void @perdure_check_pointer(ptr %to, ptr %from, ptr @perdure.place
; CHECK-NEXT: store ptr %from, ptr %to
; CHECK-NEXT: [[BLOCK:%.*]] = call ptr @perdure_check_free(ptr %from, ptr @perdure.place
; CHECK-NEXT: call void @_ZdlPv(ptr [[BLOCK]])
; CHECK-NEXT: [[BLOCK:%.*]] = call ptr @perdure_check_free(ptr %to, ptr @perdure.place
; CHECK-NEXT: call void @perdure_free(ptr [[BLOCK]])
; CHECK-NEXT: call void @perdure_run_checked(ptr @perdure_tm_clone, ptr %from)
define void @outside(ptr %from, ptr %to) {
  %local = alloca i64
  %value = load i64, ptr %from
  store i64 %value, ptr @global
  store i64 %value, ptr %local
  store ptr %from, ptr %to
  call void @_ZdlPv(ptr %from)
  call void @free(ptr %to)
  call void @perdure_run(ptr @clone, ptr %from)
  ret void
}

; Null is no pointer; a number may be one.
; CHECK-LABEL: define void @values(
; CHECK: call void @perdure_check_access(ptr %to, i64 8,
; CHECK-NEXT: store ptr null, ptr %to
; CHECK-NEXT: call void @perdure_check_access(ptr %to, i64 8,
; CHECK-NEXT: call void @perdure_check_word(ptr %to, i64 %number)
; CHECK-NEXT: store i64 %number, ptr %to
; CHECK: call void @perdure_check_pointer(ptr %to, ptr %value,
; CHECK-NEXT: store i64 %cast, ptr %to
; CHECK: call void @perdure_check_access(ptr %to, i64 16,
; CHECK: call void @perdure_check_pointer(ptr %{{.*}}, ptr %{{.*}},
; CHECK: call void @perdure_check_pointer(ptr %{{.*}}, ptr %{{.*}},
; CHECK: store <2 x ptr> %two, ptr %to
define void @values(ptr %to, ptr %value, i64 %number, <2 x ptr> %two) {
  store ptr null, ptr %to
  store i64 %number, ptr %to
  %cast = ptrtoint ptr %value to i64
  store i64 %cast, ptr %to
  store <2 x ptr> %two, ptr %to
  ret void
}

; CHECK-LABEL: define void @blocks(
; CHECK: call void @perdure_check_access(ptr %from, i64 %size,
; CHECK-NEXT: call void @perdure_check_access(ptr %to, i64 %size,
; CHECK-NEXT: call void @perdure_check_linked(ptr %to, ptr %from)
; CHECK-NEXT: call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %size, i1 false)
; CHECK-NEXT: call void @perdure_check_access(ptr %to, i64 %size,
; CHECK-NEXT: call void @llvm.memset
define void @blocks(ptr %to, ptr %from, i64 %size) {
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %size, i1 false)
  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 %size, i1 false)
  ret void
}

; In a clone, too, and where the access itself is left alone.
; CHECK-LABEL: define void @perdure_tm_clone(
; CHECK: [[NODE:%.*]] = call ptr @perdure_tm__Znwm(i64 32)
; CHECK: call void @perdure_check_access(ptr [[NODE]], i64 8,
; CHECK-NEXT: call void @perdure_check_pointer(ptr [[NODE]], ptr @global,
; CHECK-NEXT: store ptr @global, ptr [[NODE]]
; CHECK: call void @perdure_check_pointer(ptr %head, ptr [[NODE]],
; CHECK-NEXT: call void @perdure_write_ptr(ptr %head, ptr [[NODE]])
; CHECK: [[BLOCK:%.*]] = call ptr @perdure_check_free(ptr %head,
; CHECK-NEXT: call void @perdure_tm_free(ptr [[BLOCK]])
; SHARED-LABEL: define void @perdure_tm_clone(
; SHARED: call void @perdure_check_pointer(ptr [[NODE:%.*]], ptr @global,
; SHARED-NEXT: call void @perdure_write_ptr(ptr [[NODE]], ptr @global)
define void @clone(ptr %head) "perdure-safe" {
  %node = call ptr @_Znwm(i64 32)
  store ptr @global, ptr %node
  store ptr %node, ptr %head
  call void @free(ptr %head)
  ret void
}

; The pointers of a struct that is copied are read back, as the transaction sees them.
; CHECK-LABEL: define void @perdure_tm_copy(
; CHECK: call void @perdure_write_bytes(
; CHECK: call void @perdure_read_bytes(
; CHECK: call void @perdure_check_pointer(
define void @copy(ptr %to, ptr %value) "perdure-safe" {
  %local = alloca { i64, ptr, i64, i64, i64, i64 }
  %pointer = getelementptr i8, ptr %local, i64 8
  store ptr %value, ptr %pointer
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %local, i64 48, i1 false)
  ret void
}

; What functions of the library are given.
; CHECK-LABEL: define i64 @perdure_tm_calls(
; CHECK: call void @perdure_check_access(ptr %node, i64 1,
; CHECK-NEXT: call void @perdure_check_access(ptr %parent, i64 1,
; CHECK-NEXT: call void @perdure_check_linked(ptr %node, ptr %parent)
; CHECK-NEXT: call void @perdure_check_linked(ptr %parent, ptr %node)
; CHECK-NEXT: call void @perdure_check_access(ptr %head, i64 1,
; CHECK-NEXT: call void @perdure_check_linked(ptr %parent, ptr %head)
; CHECK-NEXT: call void @perdure_check_linked(ptr %head, ptr %parent)
; CHECK-NEXT: call void @perdure_tm__ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_(
; CHECK-NEXT: call void @perdure_check_access(ptr %node, i64 1,
; CHECK-NEXT: call i64 @perdure_tm_strlen(ptr %node)
define i64 @calls(ptr %node, ptr %parent, ptr %head) "perdure-safe" {
  call void @_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_(i1 true, ptr %node, ptr %parent, ptr %head)
  %length = call i64 @strlen(ptr %node)
  ret i64 %length
}
