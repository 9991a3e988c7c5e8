; A call copies an argument passed by value without the plugin seeing it: out of shared memory, the clone copies first.
; RUN: %opt -passes=perdure-clone,perdure-instrument %s | FileCheck %s
target datalayout = "e-i64:64-i128:128-f80:128-n8:16:32:64-S128"

%large = type [12 x i64]

define void @takes(ptr byval(%large) align 8 %value) {
  ret void
}

; CHECK-LABEL: define void @perdure_tm_gives(
; CHECK: %[[COPY:.*]] = alloca [12 x i64]
; CHECK: call void @perdure_read_bytes(ptr %[[COPY]], ptr %p, i64 96)
; CHECK-NEXT: call void @perdure_tm_takes(ptr byval([12 x i64]) align 8 %[[COPY]])
; CHECK: tail call void @perdure_tm_takes(ptr byval([12 x i64]) align 8 %own)
define void @gives(ptr %p, ptr byval(%large) align 8 %own) "perdure-safe" {
  tail call void @takes(ptr byval(%large) align 8 %p)
  tail call void @takes(ptr byval(%large) align 8 %own)
  ret void
}

; A result that is returned through memory may lead anywhere: the caller says where. (One that is inlined is in the frame.)
; CHECK-LABEL: define void @perdure_tm_passes_on(
; CHECK: call void @perdure_tm_makes(ptr sret([12 x i64]) align 8 %own, ptr %p)
; CHECK: call void @perdure_tm_makes(ptr sret([12 x i64]) align 8 %p, ptr %p)
; CHECK: tail call void @perdure_tm_makes(ptr sret([12 x i64]) align 8 %result, ptr %p)
define void @passes_on(ptr sret(%large) align 8 %result, ptr %p) "perdure-safe" {
  %own = alloca %large, align 8
  call void @makes(ptr sret(%large) align 8 %own, ptr %p)
  call void @makes(ptr sret(%large) align 8 %p, ptr %p)
  tail call void @makes(ptr sret(%large) align 8 %result, ptr %p)
  ret void
}

; CHECK-LABEL: define void @perdure_tm_makes(
; CHECK: %v = call i64 @perdure_read_u64(ptr %p)
; CHECK-NEXT: call void @perdure_write_u64(ptr %result, i64 %v)
define void @makes(ptr sret(%large) align 8 %result, ptr %p) {
  %v = load i64, ptr %p
  store i64 %v, ptr %result
  ret void
}
