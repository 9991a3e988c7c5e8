; perdure_run gets the clone of its body; in clones it becomes a call.
; RUN: %opt -passes=perdure-clone %s | FileCheck %s --implicit-check-not=perdure_tm_perdure_tm

@llvm.global.annotations = appending global [2 x { ptr, ptr, ptr, i32, ptr }] [
  { ptr, ptr, ptr, i32, ptr } { ptr @body, ptr @transaction, ptr @file, i32 1, ptr null },
  { ptr, ptr, ptr, i32, ptr } { ptr @other, ptr @foreign, ptr @file, i32 1, ptr null }], section "llvm.metadata"
@transaction = private constant [20 x i8] c"perdure.transaction\00", section "llvm.metadata"
@foreign = private constant [5 x i8] c"else\00", section "llvm.metadata"
@file = private constant [2 x i8] c"f\00", section "llvm.metadata"

; An annotation of ours would keep the body alive; those of others stay.
; CHECK: @llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{{.*}} ptr @other

declare void @perdure_run(ptr, ptr)
declare i32 @__gxx_personality_v0(...)

; A body that runs a nested transaction, and that is seen after its own run has been dealt with.
define void @first_program(ptr %closure) {
  call void @perdure_run(ptr @last_body, ptr %closure)
  ret void
}

define linkonce_odr void @body(ptr %closure) {
  call void @perdure_run(ptr @inner, ptr %closure)
  ret void
}

define internal void @inner(ptr %closure) personality ptr @__gxx_personality_v0 {
  invoke void @perdure_run(ptr @other, ptr %closure) to label %done unwind label %failed
failed:
  %e = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %e
done:
  ret void
}

define void @other(ptr %closure) {
  ret void
}

; CHECK-LABEL: define void @program(
; CHECK: call void @perdure_run(ptr @perdure_tm_body, ptr %closure)
define void @program(ptr %closure) {
  call void @perdure_run(ptr @body, ptr %closure)
  ret void
}

; CHECK-LABEL: define linkonce_odr void @perdure_tm_body(
; CHECK: call void @perdure_tm_inner(ptr %closure)
; CHECK-LABEL: define internal void @perdure_tm_inner(
; CHECK: invoke void @perdure_tm_other(ptr %closure)
; CHECK-NEXT: to label %done unwind label %failed

define internal void @last_body(ptr %closure) {
  call void @perdure_run(ptr @other, ptr %closure)
  ret void
}
