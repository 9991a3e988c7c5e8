; RUN: %opt -passes=perdure-clone,perdure-instrument %s | FileCheck %s
target datalayout = "e-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memcpy.p0.p0.i32(ptr, ptr, i32, i1)
declare void @llvm.memcpy.inline.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memset.inline.p0.i64(ptr, i8, i64, i1)

@text = constant [64 x i8] zeroinitializer

; CHECK-LABEL: define void @perdure_tm_shared(
; CHECK-NOT: @llvm.mem
; CHECK: call ptr @perdure_memcpy(ptr %p, ptr %q, i64 %n)
; CHECK: %[[N:.*]] = zext i32 %m to i64
; CHECK: call ptr @perdure_memcpy(ptr %p, ptr %q, i64 %[[N]])
; CHECK: call ptr @perdure_memcpy(ptr %p, ptr %q, i64 64)
; CHECK: call ptr @perdure_memmove(ptr %p, ptr %q, i64 %n)
; CHECK: %[[BYTE:.*]] = zext i8 %byte to i32
; CHECK: call ptr @perdure_memset(ptr %p, i32 %[[BYTE]], i64 %n)
; CHECK: call ptr @perdure_memset(ptr %p, i32 156, i64 64)
; CHECK-NOT: @llvm.mem
; CHECK: ret void
define void @shared(ptr %p, ptr %q, i64 %n, i32 %m, i8 %byte) "perdure-safe" {
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 %n, i1 false)
  call void @llvm.memcpy.p0.p0.i32(ptr %p, ptr %q, i32 %m, i1 false)
  call void @llvm.memcpy.inline.p0.p0.i64(ptr %p, ptr %q, i64 64, i1 false)
  call void @llvm.memmove.p0.p0.i64(ptr %p, ptr %q, i64 %n, i1 false)
  call void @llvm.memset.p0.i64(ptr %p, i8 %byte, i64 %n, i1 false)
  call void @llvm.memset.inline.p0.i64(ptr %p, i8 156, i64 64, i1 false)
  ret void
}

; CHECK-LABEL: define void @perdure_tm_one_side(
; CHECK: call void @perdure_read_bytes(ptr %local, ptr %p, i64 %n)
; CHECK: call void @perdure_write_bytes(ptr %p, ptr %local, i64 %n)
; CHECK: call void @perdure_write_bytes(ptr %p, ptr @text, i64 64)
; CHECK: %[[V:.*]] = call i64 @perdure_read_u64(ptr %p)
; CHECK: store i64 %[[V]], ptr %local
; CHECK: call i64 @perdure_read_u64(
; The pointer may lead into the frame: only perdure_memmove copes with an overlap.
; CHECK: call ptr @perdure_memmove(ptr %local, ptr %p, i64 %n)
; CHECK: ret void
define void @one_side(ptr %p, i64 %n) "perdure-safe" {
  %local = alloca [64 x i8]
  call void @llvm.memcpy.p0.p0.i64(ptr %local, ptr %p, i64 %n, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %local, i64 %n, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr @text, i64 64, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %local, ptr align 8 %p, i64 16, i1 false)
  call void @llvm.memmove.p0.p0.i64(ptr %local, ptr %p, i64 %n, i1 false)
  ret void
}

; A few naturally aligned words are not worth a loop over bytes.
; CHECK-LABEL: define void @perdure_tm_small(
; CHECK: %[[A:.*]] = call i64 @perdure_read_u64(ptr %q)
; CHECK: %[[B:.*]] = call i32 @perdure_read_u32(
; CHECK: call void @perdure_write_u64(ptr %p, i64 %[[A]])
; CHECK: call void @perdure_write_u32(ptr %{{.*}}, i32 %[[B]])
; CHECK: call void @perdure_write_u64(ptr %p, i64 -7161677110969590628)
; CHECK: call void @perdure_write_u16(ptr %{{.*}}, i16 -25444)
; CHECK: ret void
define void @small(ptr %p, ptr %q) "perdure-safe" {
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %p, ptr align 16 %q, i64 12, i1 false)
  call void @llvm.memset.p0.i64(ptr align 8 %p, i8 156, i64 10, i1 false)
  ret void
}

; CHECK-LABEL: define void @perdure_tm_private(
; CHECK-NOT: @perdure_
; CHECK: ret void
define void @private(i64 %n) "perdure-safe" {
  %local = alloca [64 x i8]
  %other = alloca [64 x i8]
  call void @llvm.memcpy.p0.p0.i64(ptr %local, ptr %other, i64 %n, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %local, ptr @text, i64 %n, i1 false)
  call void @llvm.memmove.p0.p0.i64(ptr %local, ptr %other, i64 %n, i1 false)
  call void @llvm.memset.p0.i64(ptr %local, i8 1, i64 %n, i1 false)
  ret void
}
