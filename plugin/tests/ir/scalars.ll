; Naturally aligned values of the types in types.def are one call each.
; RUN: %opt -passes=perdure-clone,perdure-instrument %s | FileCheck %s
target datalayout = "e-i64:64-i128:128-f80:128-n8:16:32:64-S128"

; The function itself is as it was.
; CHECK-LABEL: define void @scalars(
; CHECK-NOT: @perdure_
; CHECK: ret void

; CHECK-LABEL: define void @perdure_tm_scalars(
; CHECK-NOT: {{ load | store }}
; CHECK: %[[A:.*]] = call i8 @perdure_read_u8(ptr %p)
; CHECK: call void @perdure_write_u8(ptr %q, i8 %[[A]])
; CHECK: %[[B:.*]] = call i16 @perdure_read_u16(ptr %p)
; CHECK: call void @perdure_write_u16(ptr %q, i16 %[[B]])
; CHECK: %[[C:.*]] = call i32 @perdure_read_u32(ptr %p)
; CHECK: call void @perdure_write_u32(ptr %q, i32 %[[C]])
; CHECK: %[[D:.*]] = call i64 @perdure_read_u64(ptr %p)
; CHECK: call void @perdure_write_u64(ptr %q, i64 %[[D]])
; CHECK: %[[E:.*]] = call float @perdure_read_f32(ptr %p)
; CHECK: call void @perdure_write_f32(ptr %q, float %[[E]])
; CHECK: %[[F:.*]] = call double @perdure_read_f64(ptr %p)
; CHECK: call void @perdure_write_f64(ptr %q, double %[[F]])
; CHECK: %[[G:.*]] = call ptr @perdure_read_ptr(ptr %p)
; CHECK: call void @perdure_write_ptr(ptr %q, ptr %[[G]])
; CHECK-NOT: {{ load | store }}
; CHECK: ret void
define void @scalars(ptr %p, ptr %q) "perdure-safe" {
  %a = load i8, ptr %p
  store i8 %a, ptr %q
  %b = load i16, ptr %p
  store i16 %b, ptr %q
  %c = load i32, ptr %p
  store i32 %c, ptr %q
  %d = load i64, ptr %p
  store i64 %d, ptr %q
  %e = load float, ptr %p
  store float %e, ptr %q
  %f = load double, ptr %p
  store double %f, ptr %q
  %g = load ptr, ptr %p
  store ptr %g, ptr %q
  ret void
}

; The entry points may not return and may change anything: they promise only not to throw.
; CHECK: declare i8 @perdure_read_u8(ptr) #[[ENTRY:[0-9]+]]
; CHECK: attributes #[[ENTRY]] = { nounwind }
