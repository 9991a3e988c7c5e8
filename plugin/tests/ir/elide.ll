; Accesses to the clone's own frame and loads of constants are left; whatever may lead elsewhere is not.
; RUN: %opt -passes=perdure-clone,perdure-instrument %s | FileCheck %s
; Each reason can be switched off.
; RUN: %opt -passes=perdure-clone,perdure-instrument -perdure-disable-elision=own-frame %s | FileCheck %s --check-prefix=FRAME
; RUN: %opt -passes=perdure-clone,perdure-instrument -perdure-disable-elision=constant %s | FileCheck %s --check-prefix=CONSTANT
; RUN: %opt -passes=perdure-clone,perdure-instrument -perdure-disable-elision=profile-counter,invariant,private-arguments %s | FileCheck %s --check-prefix=OTHERS

@constant = constant i32 7
@variable = global i32 7
@counters = global i64 0, section "__llvm_prf_cnts"

; CHECK-LABEL: define i32 @perdure_tm_left(
; CHECK-NOT: @perdure_
; CHECK: ret i32
define i32 @left(i64 %n, ptr byval(i32) %argument) "perdure-safe" {
  %local = alloca i32
  %array = alloca i32, i64 %n
  %element = getelementptr i32, ptr %array, i64 %n
  %choice = icmp eq i64 %n, 3
  %either = select i1 %choice, ptr %local, ptr %element
  store i32 1, ptr %either
  %a = load i32, ptr %local
  %b = load i32, ptr %argument
  %c = load i32, ptr @constant
  %d = load i64, ptr @counters
  store i64 %d, ptr @counters
  %sum = add i32 %a, %b
  %total = add i32 %sum, %c
  ret i32 %total
}

; FRAME-LABEL: define i32 @perdure_tm_left(
; FRAME: call void @perdure_write_u32(ptr %either, i32 1)
; FRAME: load i32, ptr %local
; CONSTANT-LABEL: define i32 @perdure_tm_left(
; CONSTANT: store i32 1, ptr %either
; CONSTANT: call i32 @perdure_read_u32(ptr @constant)
; OTHERS-LABEL: define i32 @perdure_tm_left(
; OTHERS: call {{.*}} @perdure_read_u{{.*}}(ptr @counters)
; OTHERS: call void @perdure_write_u{{.*}}(ptr @counters,

declare i64 @strlen(ptr)

; Slots of virtual tables, and calls that only read what is private.
; CHECK-LABEL: define i64 @perdure_tm_virtual(
; CHECK: %table = call ptr @perdure_read_ptr(ptr %object)
; CHECK: %function = load ptr, ptr %table, align 8, !invariant.load
; CHECK: call i64 @strlen(ptr %text)
; OTHERS-LABEL: define i64 @perdure_tm_virtual(
; OTHERS: %function = call ptr @perdure_read_ptr(ptr %table)
; OTHERS: call i64 @perdure_tm_strlen(ptr %text)
define i64 @virtual(ptr %object) "perdure-safe" {
  %text = alloca i64
  %table = load ptr, ptr %object, align 8
  %function = load ptr, ptr %table, align 8, !invariant.load !0
  %length = call i64 @strlen(ptr %text)
  %result = call i64 %function(i64 %length)
  ret i64 %result
}

; What an object's table pointer leads to is known by its type.
; CHECK-LABEL: define ptr @perdure_tm_by_type(
; CHECK: %table = call ptr @perdure_read_ptr(ptr %object)
; CHECK: %function = load ptr, ptr %slot
; OTHERS-LABEL: define ptr @perdure_tm_by_type(
; OTHERS: call ptr @perdure_read_ptr(ptr %slot)
define ptr @by_type(ptr %object) "perdure-safe" {
  %table = load ptr, ptr %object, align 8, !tbaa !1
  %slot = getelementptr ptr, ptr %table, i64 2
  %function = load ptr, ptr %slot, align 8
  ret ptr %function
}
!0 = !{}
!1 = !{!2, !2, i64 0}
!2 = !{!"vtable pointer", !3, i64 0}
!3 = !{!"Simple C++ TBAA"}

; CHECK-LABEL: define void @perdure_tm_instrumented(
; CHECK-NOT: load i32
; CHECK: call void @perdure_write_u32(ptr %either,
; CHECK-COUNT-3: call i32 @perdure_read_u32
; CHECK: call void @perdure_write_u32(ptr %result,
; CHECK: ret void
define void @instrumented(ptr sret(i32) %result, i1 %choice, ptr %p) "perdure-safe" {
  %local = alloca i32
  %either = select i1 %choice, ptr %local, ptr %p
  store i32 1, ptr %either
  %number = ptrtoint ptr %local to i64
  %pointer = inttoptr i64 %number to ptr
  %a = load i32, ptr %pointer
  %b = load i32, ptr @variable
  %mixed = select i1 %choice, ptr @constant, ptr @variable
  %c = load i32, ptr %mixed
  %sum = add i32 %a, %b
  %total = add i32 %sum, %c
  store i32 %total, ptr %result
  ret void
}

; Through a loop that starts in the frame and goes on elsewhere.
; CHECK-LABEL: define i32 @perdure_tm_list(
; CHECK: call ptr @perdure_read_ptr(
; CHECK: call i32 @perdure_read_u32(
define i32 @list(i1 %stop) "perdure-safe" {
entry:
  %head = alloca ptr
  store ptr %head, ptr %head
  br label %loop
loop:
  %node = phi ptr [ %head, %entry ], [ %next, %loop ]
  %next = load ptr, ptr %node
  br i1 %stop, label %end, label %loop
end:
  %value = load i32, ptr %node
  ret i32 %value
}
