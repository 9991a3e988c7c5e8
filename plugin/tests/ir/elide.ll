; Accesses to the clone's own frame and loads of constants are left; whatever may lead elsewhere is not.
; RUN: %opt -passes=perdure-clone,perdure-instrument %s | FileCheck %s

@constant = constant i32 7
@variable = global i32 7
@counters = global i64 0, section "__llvm_prf_cnts"

; CHECK-LABEL: define i32 @perdure_tm_left(
; CHECK-NOT: perdure_
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
