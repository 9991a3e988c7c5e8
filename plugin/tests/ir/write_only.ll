; A module that is asked for it has each clone in two flavours: the full one, and one whose reads stay plain loads. The
; library chooses when a transaction begins, and when the table of clones is filled.
; RUN: %opt -passes=perdure-clone,perdure-instrument %s | FileCheck %s
; RUN: %opt -passes=perdure-clone,perdure-clone,perdure-instrument,perdure-instrument %s | FileCheck %s
; RUN: sed s/perdure[.]write_only/other/ %s | %opt -passes=perdure-clone,perdure-instrument | FileCheck %s --check-prefix=FULL
; FULL-NOT: .write_only
; FULL-NOT: @perdure_choose_flavour

!llvm.module.flags = !{!0}
!0 = !{i32 7, !"perdure.write_only", i32 1}

; CHECK: @perdure.clones = internal constant [3 x { ptr, ptr, ptr }]
; CHECK-SAME: { ptr @pure, ptr @pure, ptr null }
; CHECK-SAME: { ptr @called, ptr @perdure_tm_called, ptr null }
; CHECK-SAME: { ptr @accesses, ptr @perdure_tm_accesses, ptr null }
; CHECK: @perdure.write_only_clones = internal constant [3 x { ptr, ptr, ptr }]
; CHECK-SAME: { ptr @pure, ptr @pure, ptr null }
; CHECK-SAME: { ptr @called, ptr @perdure_tm_called.write_only, ptr null }
; CHECK-SAME: { ptr @accesses, ptr @perdure_tm_accesses.write_only, ptr null }
; CHECK-NOT: @perdure.write_only_clones

@alias = alias void (ptr), ptr @accesses
@functions = global [2 x ptr] [ptr @called, ptr @pure]

%block = type { [12 x i64] }

declare void @perdure_run(ptr, ptr)
declare void @elsewhere(ptr) "perdure-safe"
declare ptr @malloc(i64)
declare i64 @strlen(ptr)
declare ptr @strcpy(ptr, ptr)
declare void @takes(ptr byval(%block)) "perdure-safe"
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare <2 x i64> @llvm.masked.load.v2i64.p0(ptr, i32, <2 x i1>, <2 x i64>)
declare void @llvm.masked.store.v2i64.p0(<2 x i64>, ptr, i32, <2 x i1>)

; CHECK: @perdure_tm_alias = alias void (ptr), ptr @perdure_tm_accesses
; CHECK: @perdure_tm_alias.write_only = alias void (ptr), ptr @perdure_tm_accesses.write_only

define void @pure() "perdure-pure" {
  ret void
}

; CHECK-LABEL: define void @program(
; CHECK: %[[BODY:[0-9]+]] = call ptr @perdure_choose_flavour(ptr @perdure_tm_body, ptr @perdure_tm_body.write_only)
; CHECK-NEXT: call void @perdure_run(ptr %[[BODY]], ptr %closure)
define void @program(ptr %closure) {
  call void @perdure_run(ptr @body, ptr %closure)
  ret void
}

define internal void @body(ptr %p) {
  call void @called(ptr %p)
  call void @alias(ptr %p)
  call void @elsewhere(ptr %p)
  %block = call ptr @malloc(i64 8)
  store ptr %block, ptr %p
  ret void
}

define linkonce_odr void @called(ptr %p) {
  %function = load ptr, ptr %p
  call void %function(ptr %p)
  ret void
}

define void @accesses(ptr %p) "perdure-safe" {
  %local = alloca %block
  %value = load i64, ptr %p, align 8
  %text = getelementptr i64, ptr %p, i64 1
  %size = call i64 @strlen(ptr %text)
  call ptr @strcpy(ptr %p, ptr %text)
  %sum = add i64 %value, %size
  store i64 %sum, ptr %p, align 8
  %vector = call <2 x i64> @llvm.masked.load.v2i64.p0(ptr %p, i32 8, <2 x i1> <i1 1, i1 0>, <2 x i64> zeroinitializer)
  call void @llvm.masked.store.v2i64.p0(<2 x i64> %vector, ptr %p, i32 8, <2 x i1> <i1 1, i1 0>)
  call void @llvm.memcpy.p0.p0.i64(ptr %local, ptr %p, i64 96, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %p, ptr align 8 %text, i64 8, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %text, i64 96, i1 false)
  call void @llvm.memmove.p0.p0.i64(ptr %p, ptr %text, i64 96, i1 false)
  call void @takes(ptr byval(%block) %p)
  ret void
}

; The full flavour is what it is without the other one.
; CHECK-LABEL: define internal void @perdure_tm_body(
; CHECK: call void @perdure_tm_called(
; CHECK-LABEL: define linkonce_odr void @perdure_tm_called(
; CHECK: call ptr @perdure_read_ptr(
; CHECK-LABEL: define void @perdure_tm_accesses(
; CHECK: call i64 @perdure_read_u64(ptr %p)
; CHECK: call i64 @perdure_tm_strlen(
; CHECK: call void @perdure_read_bytes(ptr %local, ptr %p, i64 96)
; CHECK: call void @perdure_read_bytes(ptr %[[COPY:[0-9]+]], ptr %p, i64 96)
; CHECK: call void @perdure_tm_takes(ptr byval(%block) %[[COPY]])

; A write-only clone calls others; what the runtime provides has one flavour.
; CHECK-LABEL: define internal void @perdure_tm_body.write_only(
; CHECK: call void @perdure_tm_called.write_only(
; CHECK: call void @perdure_tm_accesses.write_only(
; CHECK: call void @perdure_tm_elsewhere.write_only(
; CHECK: call ptr @perdure_tm_malloc(

; CHECK-LABEL: define linkonce_odr void @perdure_tm_called.write_only(
; CHECK: %function = load ptr, ptr %p
; CHECK: call ptr @perdure_clone_of(

; What only reads stays.
; CHECK-LABEL: define void @perdure_tm_accesses.write_only(
; CHECK-NOT: @perdure_read
; CHECK: load i64, ptr %p
; CHECK: call i64 @strlen(
; CHECK: call ptr @perdure_tm_strcpy(
; CHECK: call void @perdure_write_u64(ptr %p
; CHECK: call <2 x i64> @llvm.masked.load
; CHECK-NOT: @llvm.masked.store
; CHECK: call void @perdure_write_u64(
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr %local, ptr %p
; CHECK: %[[WORD:[0-9]+]] = load i64, ptr %text
; CHECK-NEXT: call void @perdure_write_u64(ptr %p, i64 %[[WORD]])
; CHECK: call void @perdure_write_bytes(ptr %p, ptr %text, i64 96)
; CHECK: call ptr @perdure_memmove(ptr %p, ptr %text, i64 96)
; CHECK: call void @perdure_tm_takes.write_only(ptr byval(%block) %p)
