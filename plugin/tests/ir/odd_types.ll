; Values without entry points go through a slot in the clone's frame: in naturally aligned pieces where the alignment is
; known, byte by byte otherwise.
; RUN: %opt -passes=perdure-clone,perdure-instrument %s | FileCheck %s
target datalayout = "e-i64:64-i128:128-f80:128-n8:16:32:64-S128"

; CHECK-LABEL: define i1 @perdure_tm_bit(
; CHECK: %[[SLOT:.*]] = alloca i1
; CHECK: %[[BYTE:.*]] = call i8 @perdure_read_u8(ptr %p)
; CHECK: store i8 %[[BYTE]], ptr %[[SLOT]]
; CHECK: load i1, ptr %[[SLOT]]
define i1 @bit(ptr %p) "perdure-safe" {
  %v = load i1, ptr %p
  ret i1 %v
}

; CHECK-LABEL: define i24 @perdure_tm_three_bytes(
; CHECK: call i16 @perdure_read_u16(ptr %p)
; CHECK: %[[THIRD:.*]] = getelementptr inbounds i8, ptr %p, i64 2
; CHECK: call i8 @perdure_read_u8(ptr %[[THIRD]])
define i24 @three_bytes(ptr %p) "perdure-safe" {
  %v = load i24, ptr %p, align 4
  ret i24 %v
}

; CHECK-LABEL: define void @perdure_tm_wide(
; CHECK: store i128 %v, ptr %[[SLOT:.*]], align
; CHECK: %[[LOW:.*]] = load i64, ptr %[[SLOT]]
; CHECK: call void @perdure_write_u64(ptr %p, i64 %[[LOW]])
; CHECK: %[[HIGH:.*]] = load i64, ptr
; CHECK: call void @perdure_write_u64(ptr %{{.*}}, i64 %[[HIGH]])
define void @wide(ptr %p, i128 %v) "perdure-safe" {
  store i128 %v, ptr %p, align 16
  ret void
}

; The first 10 bytes only: the others may belong to someone else.
; CHECK-LABEL: define x86_fp80 @perdure_tm_extended(
; CHECK: call i64 @perdure_read_u64(
; CHECK: call i16 @perdure_read_u16(
; CHECK-NOT: @perdure_read_
; CHECK: ret x86_fp80
define x86_fp80 @extended(ptr %p) "perdure-safe" {
  %v = load x86_fp80, ptr %p, align 16
  ret x86_fp80 %v
}

; CHECK-LABEL: define <4 x i32> @perdure_tm_vector(
; CHECK-COUNT-2: call i64 @perdure_read_u64(
; CHECK: load <4 x i32>, ptr
define <4 x i32> @vector(ptr %p) "perdure-safe" {
  %v = load <4 x i32>, ptr %p, align 16
  ret <4 x i32> %v
}

; CHECK-LABEL: define i64 @perdure_tm_half_aligned(
; CHECK-COUNT-2: call i32 @perdure_read_u32(
define i64 @half_aligned(ptr %p) "perdure-safe" {
  %v = load i64, ptr %p, align 4
  ret i64 %v
}

; CHECK-LABEL: define void @perdure_tm_unaligned(
; CHECK: call void @perdure_write_bytes(ptr %p, ptr %{{.*}}, i64 8)
define void @unaligned(ptr %p, i64 %v) "perdure-safe" {
  store i64 %v, ptr %p, align 1
  ret void
}

; CHECK-LABEL: define { i32, [9 x i64] } @perdure_tm_aggregate(
; CHECK: call void @perdure_read_bytes(ptr %{{.*}}, ptr %p, i64 80)
define {i32, [9 x i64]} @aggregate(ptr %p) "perdure-safe" {
  %v = load {i32, [9 x i64]}, ptr %p
  ret {i32, [9 x i64]} %v
}

; CHECK-LABEL: define void @perdure_tm_half(
; CHECK: call void @perdure_write_u16(
define void @half(ptr %p, half %v) "perdure-safe" {
  store half %v, ptr %p
  ret void
}
