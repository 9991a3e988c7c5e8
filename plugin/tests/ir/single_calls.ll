; Clones that are called from one place are inlined there, unless they must stay.
; RUN: %opt -passes=perdure-clone %s | FileCheck %s
; RUN: %opt -passes=perdure-clone,always-inline,perdure-instrument %s | FileCheck %s --check-prefix=INLINED
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: define void @perdure_tm_root(
; CHECK: call void @perdure_tm_once(ptr %local) #[[INLINE:[0-9]+]]
; CHECK: call void @perdure_tm_twice(ptr %p){{$}}
; CHECK: call void @perdure_tm_twice(ptr %p){{$}}
; CHECK: call void @perdure_tm_kept(ptr %p){{$}}
; CHECK: call void @perdure_tm_visible(ptr %p){{$}}
; CHECK: call void @perdure_tm_recursive(ptr %p){{$}}
; CHECK: attributes #[[INLINE]] = { alwaysinline }
; INLINED-LABEL: define void @perdure_tm_root(
; INLINED-NOT: @perdure_tm_once
; INLINED: store i64 1, ptr %local
; INLINED: ret void
define void @root(ptr %p) "perdure-safe" {
  %local = alloca i64
  call void @once(ptr %local)
  call void @twice(ptr %p)
  call void @twice(ptr %p)
  call void @kept(ptr %p)
  call void @visible(ptr %p)
  call void @recursive(ptr %p)
  ret void
}

define linkonce_odr void @once(ptr %p) {
  store i64 1, ptr %p
  ret void
}

define linkonce_odr void @twice(ptr %p) {
  store i64 2, ptr %p
  ret void
}

define linkonce_odr void @kept(ptr %p) noinline {
  store i64 3, ptr %p
  ret void
}

; Another file may call it.
define void @visible(ptr %p) "perdure-safe" {
  store i64 4, ptr %p
  ret void
}

define linkonce_odr void @recursive(ptr %p) {
  %value = load i64, ptr %p
  %is_zero = icmp eq i64 %value, 0
  br i1 %is_zero, label %end, label %again
again:
  call void @recursive(ptr %p)
  br label %end
end:
  ret void
}
