; Inline assembly that touches memory is an error in a transaction (errors.ll) but for functions that are called as they are.
; RUN: %opt -passes=perdure-clone,perdure-instrument %s | FileCheck %s
; RUN: %opt -passes='perdure-clone,default<O2>,perdure-instrument' %s | FileCheck %s

; CHECK-NOT: @perdure_tm_swaps
; CHECK: define {{.*}}i64 @swaps(
; CHECK: call i64 asm sideeffect "xchgq $0, ($1)"
define i64 @swaps(ptr %p, i64 %value) "perdure-pure" {
  %old = call i64 asm sideeffect "xchgq $0, ($1)", "=r,r,0,~{memory}"(ptr %p, i64 %value)
  ret i64 %old
}

; Not inlined either: the assembly would be the clone's own.
; CHECK: define {{.*}}void @perdure_tm_uses(
; CHECK-NOT: asm
; CHECK: call i64 @swaps(ptr {{.*}}%p, i64 3)
; CHECK-NOT: asm
; CHECK: ret void
define void @uses(ptr %p) "perdure-safe" {
  %old = call i64 @swaps(ptr %p, i64 3)
  store i64 %old, ptr %p
  ret void
}
