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
