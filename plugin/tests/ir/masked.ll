; Masked vector accesses become one access a lane, under its bit of the mask.
; RUN: %opt -passes=perdure-clone,perdure-instrument %s | FileCheck %s
target datalayout = "e-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare <2 x i32> @llvm.masked.load.v2i32.p0(ptr, i32, <2 x i1>, <2 x i32>)
declare void @llvm.masked.store.v2i64.p0(<2 x i64>, ptr, i32, <2 x i1>)
declare <2 x float> @llvm.masked.gather.v2f32.v2p0(<2 x ptr>, i32, <2 x i1>, <2 x float>)
declare void @llvm.masked.scatter.v2i8.v2p0(<2 x i8>, <2 x ptr>, i32, <2 x i1>)

; CHECK-LABEL: define <2 x i32> @perdure_tm_load(
; CHECK-NOT: @llvm.masked
; CHECK: %[[BIT:.*]] = extractelement <2 x i1> %mask, i64 0
; CHECK: br i1 %[[BIT]]
; CHECK: %[[V:.*]] = call i32 @perdure_read_u32(ptr %p)
; CHECK: insertelement <2 x i32> %other, i32 %[[V]], i64 0
; CHECK: phi <2 x i32>
; CHECK: extractelement <2 x i1> %mask, i64 1
; CHECK: getelementptr inbounds i8, ptr %p, i64 4
; CHECK: call i32 @perdure_read_u32(
; CHECK: %[[RESULT:.*]] = phi <2 x i32>
; CHECK: ret <2 x i32> %[[RESULT]]
define <2 x i32> @load(ptr %p, <2 x i1> %mask, <2 x i32> %other) "perdure-safe" {
  %v = call <2 x i32> @llvm.masked.load.v2i32.p0(ptr %p, i32 4, <2 x i1> %mask, <2 x i32> %other)
  ret <2 x i32> %v
}

; CHECK-LABEL: define void @perdure_tm_store(
; CHECK-NOT: @llvm.masked
; CHECK-COUNT-2: call void @perdure_write_u64(
define void @store(ptr %p, <2 x i1> %mask, <2 x i64> %v) "perdure-safe" {
  call void @llvm.masked.store.v2i64.p0(<2 x i64> %v, ptr %p, i32 8, <2 x i1> %mask)
  ret void
}

; CHECK-LABEL: define <2 x float> @perdure_tm_gather(
; CHECK-NOT: @llvm.masked
; CHECK-COUNT-2: call float @perdure_read_f32(
define <2 x float> @gather(<2 x ptr> %p, <2 x i1> %mask, <2 x float> %other) "perdure-safe" {
  %v = call <2 x float> @llvm.masked.gather.v2f32.v2p0(<2 x ptr> %p, i32 4, <2 x i1> %mask, <2 x float> %other)
  ret <2 x float> %v
}

; CHECK-LABEL: define void @perdure_tm_scatter(
; CHECK-NOT: @llvm.masked
; CHECK-COUNT-2: call void @perdure_write_u8(
define void @scatter(<2 x ptr> %p, <2 x i1> %mask, <2 x i8> %v) "perdure-safe" {
  call void @llvm.masked.scatter.v2i8.v2p0(<2 x i8> %v, <2 x ptr> %p, i32 1, <2 x i1> %mask)
  ret void
}

; CHECK-LABEL: define <2 x i32> @perdure_tm_private(
; CHECK: @llvm.masked.load
define <2 x i32> @private(<2 x i1> %mask, <2 x i32> %other) "perdure-safe" {
  %local = alloca <2 x i32>
  %v = call <2 x i32> @llvm.masked.load.v2i32.p0(ptr %local, i32 4, <2 x i1> %mask, <2 x i32> %other)
  ret <2 x i32> %v
}

; An element of any type has an access of its own: a pointer, a half, 24 bits beside each other.
declare <2 x ptr> @llvm.masked.load.v2p0.p0(ptr, i32, <2 x i1>, <2 x ptr>)
declare <2 x half> @llvm.masked.load.v2f16.p0(ptr, i32, <2 x i1>, <2 x half>)
declare void @llvm.masked.store.v2i24.p0(<2 x i24>, ptr, i32, <2 x i1>)
declare <2 x i1> @llvm.masked.gather.v2i1.v2p0(<2 x ptr>, i32, <2 x i1>, <2 x i1>)

; CHECK-LABEL: define <2 x ptr> @perdure_tm_pointers(
; CHECK: call ptr @perdure_read_ptr(ptr %p)
; CHECK: getelementptr inbounds i8, ptr %p, i64 8
; CHECK: call ptr @perdure_read_ptr(
define <2 x ptr> @pointers(ptr %p, <2 x i1> %mask, <2 x ptr> %other) "perdure-safe" {
  %v = call <2 x ptr> @llvm.masked.load.v2p0.p0(ptr %p, i32 8, <2 x i1> %mask, <2 x ptr> %other)
  ret <2 x ptr> %v
}

; CHECK-LABEL: define <2 x half> @perdure_tm_halves(
; CHECK-NOT: @llvm.masked
; CHECK-COUNT-2: call i16 @perdure_read_u16(
define <2 x half> @halves(ptr %p, <2 x i1> %mask, <2 x half> %other) "perdure-safe" {
  %v = call <2 x half> @llvm.masked.load.v2f16.p0(ptr %p, i32 2, <2 x i1> %mask, <2 x half> %other)
  ret <2 x half> %v
}

; CHECK-LABEL: define void @perdure_tm_odd(
; CHECK-NOT: @llvm.masked
; CHECK-COUNT-3: call void @perdure_write_u8(
; CHECK: getelementptr inbounds i8, ptr %p, i64 3
; CHECK-COUNT-3: call void @perdure_write_u8(
define void @odd(ptr %p, <2 x i1> %mask, <2 x i24> %v) "perdure-safe" {
  call void @llvm.masked.store.v2i24.p0(<2 x i24> %v, ptr %p, i32 1, <2 x i1> %mask)
  ret void
}

; CHECK-LABEL: define <2 x i1> @perdure_tm_bits(
; CHECK-NOT: @llvm.masked
; CHECK-COUNT-2: call i8 @perdure_read_u8(
define <2 x i1> @bits(<2 x ptr> %p, <2 x i1> %mask, <2 x i1> %other) "perdure-safe" {
  %v = call <2 x i1> @llvm.masked.gather.v2i1.v2p0(<2 x ptr> %p, i32 1, <2 x i1> %mask, <2 x i1> %other)
  ret <2 x i1> %v
}
