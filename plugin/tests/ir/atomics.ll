; Atomic operations become ordinary accesses of the transaction, fences nothing.
; RUN: %opt -passes=perdure-clone %s | FileCheck %s --check-prefixes=CHECK,EARLY
; RUN: %opt -passes=perdure-clone,perdure-instrument -perdure-disable-elision=repeated-read %s | FileCheck %s --check-prefixes=CHECK,LATE

@_ZGVvariable = global i64 0

; CHECK-LABEL: define i64 @perdure_tm_operations(
; CHECK-NOT: atomic
; CHECK-NOT: cmpxchg
; LATE: call i32 @perdure_read_u32(ptr %p)
; LATE: call void @perdure_write_u64(ptr %q, i64 5)
; CHECK-NOT: fence
; LATE: %[[OLD:[0-9a-zA-Z.]+]] = call i64 @perdure_read_u64(ptr %q)
; LATE: %[[NEW:[0-9a-zA-Z.]+]] = add i64 %[[OLD]], 3
; LATE: call void @perdure_write_u64(ptr %q, i64 %[[NEW]])
; A comparison that fails writes nothing.
; LATE: %[[FOUND:[0-9a-zA-Z.]+]] = call i64 @perdure_read_u64(ptr %q)
; LATE: %[[EQUAL:[0-9a-zA-Z.]+]] = icmp eq i64 %[[FOUND]], 7
; LATE: br i1 %[[EQUAL]], label %[[THEN:[0-9a-zA-Z.]+]], label %[[AFTER:[0-9a-zA-Z.]+]]
; LATE: [[THEN]]:
; LATE-NEXT: call void @perdure_write_u64(ptr %q, i64 8)
; LATE: [[AFTER]]:
; LATE-COUNT-2: call void @perdure_write_u64(
; CHECK-NOT: fence
; CHECK: ret i64
define i64 @operations(ptr %p, ptr %q) "perdure-safe" {
  %a = load atomic i32, ptr %p seq_cst, align 4
  store atomic i64 5, ptr %q release, align 8
  fence seq_cst
  %b = atomicrmw add ptr %q, i64 3 monotonic
  %pair = cmpxchg weak ptr %q, i64 7, i64 8 acq_rel acquire
  %c = extractvalue { i64, i1 } %pair, 0
  store atomic i128 3, ptr %q seq_cst, align 16
  fence syncscope("singlethread") seq_cst
  %sum = add i64 %b, %c
  ret i64 %sum
}

; EARLY-LABEL: define i32 @perdure_tm_updates(
; EARLY-NOT: {{atomicrmw|volatile}}
; EARLY: ret i32
define i32 @updates(ptr %p, ptr %f) "perdure-safe" {
  %a = atomicrmw xchg ptr %p, i32 3 monotonic
  %b = atomicrmw sub ptr %p, i32 3 monotonic
  %l = load atomic volatile i32, ptr %p seq_cst, align 4
  %c = atomicrmw volatile and ptr %p, i32 3 monotonic
  %d = atomicrmw nand ptr %p, i32 3 monotonic
  %e = atomicrmw or ptr %p, i32 3 monotonic
  %g = atomicrmw xor ptr %p, i32 3 monotonic
  %h = atomicrmw max ptr %p, i32 3 monotonic
  %i = atomicrmw umin ptr %p, i32 3 monotonic
  %j = atomicrmw fadd ptr %f, float 3.0 monotonic
  %k = atomicrmw uinc_wrap ptr %p, i32 3 monotonic
  ret i32 %k
}

; Whether a static variable is initialised is no matter of the transaction.
; CHECK-LABEL: define i8 @perdure_tm_guard(
; CHECK: load atomic i8, ptr @_ZGVvariable acquire
define i8 @guard() "perdure-safe" {
  %g = load atomic i8, ptr @_ZGVvariable acquire, align 8
  ret i8 %g
}
