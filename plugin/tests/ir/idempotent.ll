; Each phase may run again: at link time, or when the plugin is given twice.
; RUN: %opt -passes=perdure-clone,perdure-instrument %s -o %t.once
; RUN: %opt -passes=perdure-clone,perdure-clone,perdure-instrument,perdure-instrument %s -o %t.twice
; RUN: %opt -passes=perdure-clone,perdure-instrument %t.once -o %t.again
; RUN: diff %t.once %t.twice
; RUN: sed 1,2d %t.once > %t.once.body
; RUN: sed 1,2d %t.again | diff %t.once.body -
; RUN: FileCheck %s < %t.once

declare void @perdure_run(ptr, ptr)

; CHECK-COUNT-2: call void @perdure_write_u32
; CHECK-NOT: call void @perdure_write_u32
define void @body(ptr %p) {
  store i32 1, ptr %p
  ret void
}

define void @program(ptr %p) {
  call void @perdure_run(ptr @body, ptr %p)
  ret void
}

define void @offered(ptr %p) "perdure-safe" {
  store i32 2, ptr %p
  ret void
}
