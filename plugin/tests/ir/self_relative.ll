; Pointers that may lie in pools are stored as distances: every load and store of a pointer goes through an entry point,
; but for variables; so do those in copies whose contents are known.
; RUN: %opt -passes=perdure-self-relative %s | FileCheck %s
; RUN: %opt -passes=perdure-self-relative,perdure-clone,perdure-instrument %s | FileCheck %s --check-prefix=CLONE

%node = type { ptr, i64, [2 x ptr] }

@variable = global ptr null

; CHECK: @llvm.global_ctors = appending global {{.*}}{ i32 50, ptr @perdure.self_relative, ptr null }

; CHECK-LABEL: define ptr @next(ptr %node)
; CHECK: %stored = load ptr, ptr %node
; CHECK-NOT: !nonnull
; CHECK-NEXT: %[[NEXT:[0-9]+]] = call ptr @perdure_decode_pointer(ptr %stored, ptr %node)
; CHECK-NEXT: ret ptr %[[NEXT]]
; CLONE-LABEL: define ptr @perdure_tm_next(ptr %node)
; CLONE: %stored = call ptr @perdure_read_ptr(ptr %node)
; CLONE-NEXT: call ptr @perdure_decode_pointer(ptr %stored, ptr %node)
define ptr @next(ptr %node) "perdure-safe" {
  %stored = load ptr, ptr %node, !nonnull !3
  ret ptr %stored
}

; CHECK-LABEL: define void @link(
; CHECK: %[[STORED:[0-9]+]] = call ptr @perdure_encode_pointer(ptr %next, ptr %node)
; CHECK-NEXT: store ptr %[[STORED]], ptr %node
define void @link(ptr %node, ptr %next) {
  store ptr %next, ptr %node
  ret void
}

; CHECK-LABEL: define ptr @variables(
; CHECK-NOT: @perdure_{{en|de}}code_pointer
; CHECK: ret ptr
define ptr @variables(ptr %value) {
  %local = alloca ptr
  store ptr %value, ptr %local
  store ptr %value, ptr @variable
  %loaded = load ptr, ptr %local
  ret ptr %loaded
}

; CHECK-LABEL: define void @copies(
; The type of the variable says where pointers are.
; CHECK: load ptr, ptr %[[FIRST:[0-9a-z]+]], align 1
; CHECK: call ptr @perdure_decode_pointer(
; CHECK: call ptr @perdure_decode_pointer(
; CHECK: call ptr @perdure_decode_pointer(
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr %local, ptr %node, i64 32
; CHECK-NOT: @perdure_encode_pointer
; Between two nodes the metadata of the copy says it.
; CHECK: call ptr @perdure_decode_pointer(
; CHECK-NOT: @perdure_decode_pointer
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr %other, ptr %node, i64 16
; CHECK: call ptr @perdure_encode_pointer(
; CHECK-NOT: @perdure_encode_pointer
; Bytes are bytes.
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr %other, ptr %node, i64 100
; CHECK-NOT: @perdure_encode_pointer
; By value:
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr align 8 %[[VALUE:[0-9]+]], ptr %node, i64 32
; CHECK: call void @takes(ptr byval(%node) %[[VALUE]])
define void @copies(ptr %node, ptr %other) {
  %local = alloca %node
  call void @llvm.memcpy.p0.p0.i64(ptr %local, ptr %node, i64 32, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %other, ptr %node, i64 16, i1 false), !tbaa.struct !4
  call void @llvm.memcpy.p0.p0.i64(ptr %other, ptr %node, i64 100, i1 false)
  call void @takes(ptr byval(%node) %node)
  ret void
}

declare void @takes(ptr byval(%node))
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

!0 = !{!"root"}
!1 = !{!"any pointer", !0, i64 0}
!2 = !{!"p1 node", !1, i64 0}
!3 = !{}
!4 = !{i64 0, i64 8, !5, i64 8, i64 8, !6}
!5 = !{!2, !2, i64 0}
!6 = !{!7, !7, i64 0}
!7 = !{!"long", !0, i64 0}
