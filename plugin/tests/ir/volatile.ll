; A volatile access is an ordinary one of the transaction, and no elision leaves it but in the own frame.
; RUN: %opt -passes=perdure-clone,perdure-instrument %s | FileCheck %s
; RUN: %opt -passes=perdure-clone,perdure-instrument -pass-remarks=perdure -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=REMARK
; REMARK: remark: {{.*}}: volatile read is an ordinary access of the transaction
; REMARK: remark: {{.*}}: volatile write is an ordinary access of the transaction
; REMARK: remark: {{.*}}: volatile block is an ordinary access of the transaction
target triple = "x86_64-unknown-linux-gnu"

@table = constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare ptr @_Znwm(i64)

; CHECK-LABEL: define void @perdure_tm_types(
; CHECK-NOT: volatile
; CHECK-DAG: call i8 @perdure_read_u8(ptr %p)
; CHECK-DAG: call i16 @perdure_read_u16(ptr %p)
; CHECK-DAG: call i32 @perdure_read_u32(ptr %p)
; CHECK-DAG: call ptr @perdure_read_ptr(ptr %p)
; CHECK-DAG: call float @perdure_read_{{[a-z0-9]+}}(ptr %p)
; CHECK-DAG: call double @perdure_read_{{[a-z0-9]+}}(ptr %p)
; CHECK-DAG: call void @perdure_read_bytes(ptr %{{[0-9]+}}, ptr %p, i64 10)
; CHECK: call void @perdure_write_u16(ptr %p, i16 %s)
; CHECK: call void @perdure_write_u16(ptr %p, i16 %s)
; CHECK-NOT: volatile
; CHECK: ret void
define void @types(ptr %p) "perdure-safe" {
  %b = load volatile i8, ptr %p
  %s = load volatile i16, ptr %p
  %i = load volatile i32, ptr %p
  %q = load volatile ptr, ptr %p
  %f = load volatile float, ptr %p
  %d = load volatile double, ptr %p
  %l = load volatile x86_fp80, ptr %p, align 1
  store volatile i16 %s, ptr %p
  store volatile i16 %s, ptr %p
  ret void
}

; CHECK-LABEL: define void @perdure_tm_blocks(
; CHECK: call ptr @perdure_memcpy(ptr %p, ptr %q, i64 100)
; CHECK: call ptr @perdure_memmove(ptr %p, ptr %q, i64 100)
; CHECK: call ptr @perdure_memset(ptr %p, i32 0, i64 100)
define void @blocks(ptr %p, ptr %q) "perdure-safe" {
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 100, i1 true)
  call void @llvm.memmove.p0.p0.i64(ptr %p, ptr %q, i64 100, i1 true)
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 100, i1 true)
  ret void
}

; Each read is one, even of a constant.
; CHECK-LABEL: define i32 @perdure_tm_reads(
; CHECK-COUNT-2: call i32 @perdure_read_u32(ptr %p)
; CHECK: call i32 @perdure_read_u32(ptr @table)
; CHECK: ret i32
define i32 @reads(ptr %p) "perdure-safe" {
  %a = load volatile i32, ptr %p
  %b = load volatile i32, ptr %p
  %c = load volatile i32, ptr @table
  %x = add i32 %a, %b
  %y = add i32 %x, %c
  ret i32 %y
}

; In a block of the transaction's own: since the volatile write may be deferred, no direct access may follow it.
; CHECK-LABEL: define i64 @perdure_tm_captured(
; CHECK: store i64 1, ptr %block
; CHECK: call void @perdure_write_u64(ptr %block, i64 2)
; CHECK: call void @perdure_write_u64(ptr %next, i64 7)
; CHECK: ret i64
define i64 @captured() "perdure-safe" {
  %block = call ptr @_Znwm(i64 16)
  store i64 1, ptr %block
  store volatile i64 2, ptr %block
  %next = getelementptr i8, ptr %block, i64 8
  store i64 7, ptr %next
  %a = load i64, ptr %block
  ret i64 %a
}

; CHECK-LABEL: define i32 @perdure_tm_frame(
; CHECK: store volatile i32 3, ptr %local
; CHECK: load volatile i32, ptr %local
; CHECK-NOT: perdure_
; CHECK: ret i32
define i32 @frame() "perdure-safe" {
  %local = alloca i32
  store volatile i32 3, ptr %local
  %v = load volatile i32, ptr %local
  ret i32 %v
}
