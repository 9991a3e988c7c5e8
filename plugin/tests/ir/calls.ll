; Which function a call in a clone goes to, and when.
; RUN: %opt -passes=perdure-clone %s | FileCheck %s --check-prefixes=CHECK,EARLY
; RUN: %opt -passes=perdure-clone,perdure-instrument %s | FileCheck %s --check-prefixes=CHECK,LATE
; RUN: %opt -passes=perdure-clone,perdure-instrument %s | FileCheck %s --check-prefix=LINKAGE

$inline_elsewhere = comdat any
$inline_here = comdat any

; LINKAGE-DAG: $perdure_tm_inline_elsewhere = comdat any
; LINKAGE-DAG: $perdure_tm_inline_here = comdat any

declare ptr @malloc(i64)
declare i64 @strlen(ptr)
declare double @sqrt(double)
declare i32 @touches_nothing(i32) memory(none)
declare void @elsewhere(ptr) "perdure-safe"
declare void @says_pure(ptr) "perdure-pure"
declare i32 @__gxx_personality_v0(...)

define i32 @pure_with_body(ptr %p) "perdure-pure" {
  %v = load i32, ptr %p
  ret i32 %v
}

define internal void @internal(ptr %p) {
  ret void
}

define linkonce_odr void @inline_here(ptr %p) comdat {
  ret void
}

define available_externally void @inline_elsewhere(ptr %p) {
  ret void
}

define void @external(ptr %p) {
  ret void
}

define void @never_called(ptr %p) {
  ret void
}

; Not the library's.
define internal double @trunc(double %v) {
  ret double %v
}

@alias = alias void (ptr), ptr @external
@constructor = alias void (ptr), ptr @offered

; CHECK: @perdure_tm_constructor = alias void (ptr), ptr @perdure_tm_offered

; CHECK-LABEL: define void @perdure_tm_calls(
; CHECK: call void @perdure_tm_internal(ptr %p)
; CHECK: tail call void @perdure_tm_inline_here(ptr %p)
; CHECK: call void @perdure_tm_inline_elsewhere(ptr %p)
; CHECK: call void @perdure_tm_external(ptr %p)
; CHECK: call void @perdure_tm_external(ptr %p)
; CHECK: call void @perdure_tm_elsewhere(ptr %p)
; CHECK: call void @says_pure(ptr %p)
; Inlined, its accesses would be taken for the clone's.
; CHECK: call i32 @pure_with_body(ptr %p) #[[NOINLINE:[0-9]+]]
; CHECK: call i32 @touches_nothing(i32 3)
; CHECK: call double @sqrt(double 2.0
; Until the late phase the optimiser is to see which functions these are.
; EARLY: call ptr @malloc(i64 3)
; EARLY: call i64 @strlen(ptr %p)
; LATE: call ptr @perdure_tm_malloc(i64 3)
; LATE: call i64 @perdure_tm_strlen(ptr %p)
; The string is in the frame.
; CHECK: call i64 @strlen(ptr %local)
; CHECK: call double @perdure_tm_trunc(double
; CHECK: call void @perdure_tm_calls(
define void @calls(ptr %p) "perdure-safe" {
  %local = alloca i64
  call void @internal(ptr %p)
  tail call void @inline_here(ptr %p)
  call void @inline_elsewhere(ptr %p)
  call void @external(ptr %p)
  call void @alias(ptr %p)
  call void @elsewhere(ptr %p)
  call void @says_pure(ptr %p)
  %a = call i32 @pure_with_body(ptr %p)
  %b = call i32 @touches_nothing(i32 3)
  %c = call double @sqrt(double 2.0)
  %d = call ptr @malloc(i64 3)
  %e = call i64 @strlen(ptr %p)
  %f = call i64 @strlen(ptr %local)
  %g = call double @trunc(double %c)
  call void @calls(ptr %p)
  ret void
}

; CHECK-LABEL: define void @perdure_tm_invokes(
; CHECK: invoke void @perdure_tm_external(ptr %p)
; CHECK-NEXT: to label %done unwind label %failed
; CHECK: landingpad
; CHECK: musttail call void @perdure_tm_external(ptr %p)
define void @invokes(ptr %p) "perdure-safe" personality ptr @__gxx_personality_v0 {
  invoke void @external(ptr %p) to label %done unwind label %failed
failed:
  %e = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %e
done:
  musttail call void @external(ptr %p)
  ret void
}

define void @offered(ptr %p) "perdure-safe" {
  ret void
}

define internal void @replacement(ptr %p) "perdure-implements"="library_function" {
  ret void
}

; LINKAGE-DAG: define internal void @perdure_tm_internal(
; LINKAGE-DAG: define linkonce_odr void @perdure_tm_inline_here(ptr %p){{.*}} comdat
; LINKAGE-DAG: define linkonce_odr void @perdure_tm_inline_elsewhere(ptr %p){{.*}} comdat
; LINKAGE-DAG: define void @perdure_tm_external(
; LINKAGE-DAG: define void @perdure_tm_library_function(
; LINKAGE-DAG: declare void @perdure_tm_elsewhere(ptr)
; LINKAGE-NOT: @perdure_tm_never_called
; CHECK: attributes #[[NOINLINE]] = { noinline }
