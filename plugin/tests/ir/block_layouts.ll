; The layouts on calls of allocation functions are told to the runtime just before the calls, whatever the optimiser did.
; RUN: %opt -passes='perdure-instrument' %s -o - | FileCheck %s
; RUN: %opt -passes='perdure-instrument,perdure-instrument' %s -o - | FileCheck %s
; RUN: %opt -passes='function(simplifycfg<hoist-common-insts;sink-common-insts>),perdure-instrument' %s -o - | FileCheck %s --check-prefix=MERGED

declare ptr @_Znwm(i64)
declare i32 @__gxx_personality_v0(...)
declare void @perdure_tm_use(ptr)

; The number's room, 16 bytes an element, none before, two runs; a pointer at 0; what is one if the byte at 9 & 1 is 1.
; CHECK: @perdure.layout.16from0.p0x1.c8x1if9and1is1 = private global { i64, i32, i32, i32, i32, {{.*}} } { i64 0, i32 16, i32 0, i32 2, i32 0, {{.*}} { i32 0, i32 1, i8 1, i8 0, i8 0, i8 0, i32 0 }, {{.*}} { i32 8, i32 1, i8 3, i8 1, i8 1, i8 0, i32 9 } }, align 8
; CHECK-NOT: @perdure.layout.16from0.p0x1.c8x1if9and1is1{{.*}} = private

; CHECK-LABEL: define ptr @perdure_tm_work(
; CHECK: call void @perdure_set_block_layout(ptr @perdure.layout.16from0.p0x1.c8x1if9and1is1)
; CHECK-NEXT: call ptr @perdure_tm__Znwm(i64 16)
; CHECK-NEXT: call ptr @perdure_tm__Znwm(i64 32)
; CHECK-NOT: "perdure-layout"
define ptr @perdure_tm_work() "perdure-clone"="plain" {
  %block = call ptr @_Znwm(i64 16) "perdure-layout"="16from0.p0x1.c8x1if9and1is1"
  %unknown = call ptr @_Znwm(i64 32)
  call void @perdure_tm_use(ptr %unknown)
  ret ptr %block
}

; CHECK-LABEL: define void @perdure_tm_invoked(
; CHECK: call void @perdure_set_block_layout(ptr @perdure.layout.16from0.p0x1.c8x1if9and1is1)
; CHECK-NEXT: invoke ptr @perdure_tm__Znwm(i64 16)
define void @perdure_tm_invoked() "perdure-clone"="plain" personality ptr @__gxx_personality_v0 {
  %block = invoke ptr @_Znwm(i64 16) "perdure-layout"="16from0.p0x1.c8x1if9and1is1" to label %good unwind label %bad
good:
  call void @perdure_tm_use(ptr %block)
  ret void
bad:
  %exception = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %exception
}

; A text that is none says nothing.
; CHECK-LABEL: define ptr @perdure_tm_wrong(
; CHECK-NEXT: call ptr @perdure_tm__Znwm(i64 16)
define ptr @perdure_tm_wrong() "perdure-clone"="plain" {
  %block = call ptr @_Znwm(i64 16) "perdure-layout"="16from0.q0x1"
  ret ptr %block
}

; Calls with the same are made one; two that differ are not made one that has either.
; MERGED-LABEL: define ptr @perdure_tm_same(
; MERGED: call void @perdure_set_block_layout(ptr @perdure.layout.8from0.p0x1)
; MERGED-NOT: call void @perdure_set_block_layout
define ptr @perdure_tm_same(i1 %condition) "perdure-clone"="plain" {
  br i1 %condition, label %first, label %second
first:
  %a = call ptr @_Znwm(i64 8) "perdure-layout"="8from0.p0x1"
  br label %end
second:
  %b = call ptr @_Znwm(i64 8) "perdure-layout"="8from0.p0x1"
  br label %end
end:
  %block = phi ptr [ %a, %first ], [ %b, %second ]
  ret ptr %block
}

; MERGED-LABEL: define ptr @perdure_tm_branches(
; MERGED: br i1
; MERGED: call void @perdure_set_block_layout(ptr @perdure.layout.8from0.p0x1)
; MERGED-NEXT: call ptr @perdure_tm__Znwm
; MERGED: call void @perdure_set_block_layout(ptr @perdure.layout.0from0)
; MERGED-NEXT: call ptr @perdure_tm__Znwm
define ptr @perdure_tm_branches(i1 %condition) "perdure-clone"="plain" {
  br i1 %condition, label %first, label %second
first:
  %a = call ptr @_Znwm(i64 8) "perdure-layout"="8from0.p0x1"
  br label %end
second:
  %b = call ptr @_Znwm(i64 8) "perdure-layout"="0from0"
  br label %end
end:
  %block = phi ptr [ %a, %first ], [ %b, %second ]
  ret ptr %block
}

; Outside of transactions, only before what takes memory from pools there, too.
; CHECK-LABEL: define ptr @outside(
; CHECK-NEXT: call ptr @_Znwm(i64 8)
; CHECK-NEXT: call void @perdure_set_block_layout(ptr @perdure.layout.8from0.p0x1)
; CHECK-NEXT: call ptr @perdure_allocate_in(
declare ptr @perdure_allocate_in(ptr, i64, i64, i64)
define ptr @outside(ptr %pool) {
  %other = call ptr @_Znwm(i64 8) "perdure-layout"="8from0.p0x1"
  %block = call ptr @perdure_allocate_in(ptr %pool, i64 1, i64 8, i64 8) "perdure-layout"="8from0.p0x1"
  ret ptr %block
}
