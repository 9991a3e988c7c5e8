; In the pipelines of the optimiser: clones are optimised first, not vectorised, and instrumented last.
; RUN: %opt -passes='default<O0>' %s | FileCheck %s
; RUN: %opt -passes='default<O2>' %s | FileCheck %s --check-prefixes=CHECK,OPTIMISED
; RUN: %opt -passes='default<O3>' %s | FileCheck %s --check-prefixes=CHECK,OPTIMISED
; RUN: %opt -passes='lto-pre-link<O2>' %s | FileCheck %s --check-prefixes=CHECK,OPTIMISED
; RUN: %opt -passes='thinlto-pre-link<O2>' %s | FileCheck %s
; RUN: %opt -passes='lto-pre-link<O2>,lto<O2>' %s | FileCheck %s --check-prefixes=CHECK,OPTIMISED
target triple = "x86_64-unknown-linux-gnu"

declare ptr @malloc(i64)
declare void @free(ptr)

; CHECK-LABEL: define {{.*}}@perdure_tm_twice(
; OPTIMISED: call i64 @perdure_read_u64(ptr {{.*}}%p)
; OPTIMISED-NOT: @perdure_read_u64
; CHECK: ret i64
define i64 @twice(ptr %p) "perdure-safe" {
  %a = load i64, ptr %p
  %b = load i64, ptr %p
  %c = add i64 %a, %b
  ret i64 %c
}

; CHECK-LABEL: define {{.*}}@perdure_tm_loop(
; CHECK-NOT: <{{[0-9]+}} x i64>
; CHECK: call i64 @perdure_read_u64(
; CHECK-NOT: <{{[0-9]+}} x i64>
; CHECK: call void @perdure_write_u64(
; CHECK-NOT: <{{[0-9]+}} x i64>
; CHECK: ret void
define void @loop(ptr %p, i64 %n) "perdure-safe" {
entry:
  br label %next
next:
  %i = phi i64 [ 0, %entry ], [ %i.next, %next ]
  %element = getelementptr i64, ptr %p, i64 %i
  %v = load i64, ptr %element
  %w = add i64 %v, 1
  store i64 %w, ptr %element
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %n
  br i1 %more, label %next, label %end
end:
  ret void
}

; An allocation that is not needed goes, as it would outside of a transaction.
; CHECK-LABEL: define {{.*}}@perdure_tm_temporary(
; OPTIMISED-NOT: call
; CHECK: ret void
define void @temporary() "perdure-safe" {
  %block = call ptr @malloc(i64 8)
  call void @free(ptr %block)
  ret void
}

; CHECK-NOT: "perdure-clone"="plain"
; CHECK-NOT: noimplicitfloat
