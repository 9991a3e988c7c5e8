; Lists of variable arguments, memory of the stack whose size is known at run time only, and variables of a thread.
; RUN: %opt -passes=perdure-clone,perdure-instrument %s | FileCheck %s
target datalayout = "e-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_copy.p0(ptr, ptr)
declare void @llvm.va_end.p0(ptr)
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)
declare ptr @llvm.threadlocal.address.p0(ptr)

@of_thread = thread_local global i64 0

; The list is the clone's own, what it leads to need not be. A copy of one from elsewhere is a copy of memory.
; CHECK-LABEL: define void @perdure_tm_list(
; CHECK: call void @llvm.va_start.p0(ptr %list)
; CHECK-NEXT: call void @llvm.va_copy.p0(ptr %again, ptr %list)
; CHECK-NOT: va_copy
; CHECK-COUNT-3: call i64 @perdure_read_u64(
; CHECK: %offset = load i32, ptr %list
; CHECK: %saved = load ptr, ptr %area
; CHECK: %value = call i64 @perdure_read_u64(ptr %argument)
; CHECK: call void @llvm.va_end.p0(ptr %list)
define void @list(ptr %given, ptr %to, ...) "perdure-safe" {
  %list = alloca [24 x i8], align 16
  %again = alloca [24 x i8], align 16
  call void @llvm.va_start.p0(ptr %list)
  call void @llvm.va_copy.p0(ptr %again, ptr %list)
  call void @llvm.va_copy.p0(ptr %again, ptr %given)
  %offset = load i32, ptr %list
  %area = getelementptr i8, ptr %list, i64 16
  %saved = load ptr, ptr %area
  %argument = getelementptr i8, ptr %saved, i32 %offset
  %value = load i64, ptr %argument
  store i64 %value, ptr %to
  call void @llvm.va_end.p0(ptr %list)
  ret void
}

; CHECK-LABEL: define i64 @perdure_tm_of_run_time_size(
; CHECK: store i64 1, ptr %element
; CHECK-NEXT: %a = load i64, ptr %array
; CHECK-NEXT: call void @perdure_write_u64(ptr %p, i64 %a)
; CHECK-NEXT: call void @llvm.stackrestore.p0(ptr %stack)
define i64 @of_run_time_size(ptr %p, i64 %n) "perdure-safe" {
  %stack = call ptr @llvm.stacksave.p0()
  %array = alloca i64, i64 %n
  %element = getelementptr i64, ptr %array, i64 %n
  store i64 1, ptr %element
  %a = load i64, ptr %array
  store i64 %a, ptr %p
  call void @llvm.stackrestore.p0(ptr %stack)
  ret i64 %a
}

; No other thread writes it, but an abort takes back what was written to it.
; CHECK-LABEL: define i64 @perdure_tm_thread_variable(
; CHECK: %value = call i64 @perdure_read_u64(ptr %address)
; CHECK: call void @perdure_write_u64(ptr %address, i64 %more)
define i64 @thread_variable() "perdure-safe" {
  %address = call ptr @llvm.threadlocal.address.p0(ptr @of_thread)
  %value = load i64, ptr %address
  %more = add i64 %value, 1
  store i64 %more, ptr %address
  ret i64 %more
}
