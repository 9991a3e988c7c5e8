; Outside of transactions functions of the runtime free; in them, the clones of what the program calls.
; RUN: %opt -passes=perdure-clone %s | FileCheck %s --check-prefix=EARLY
; RUN: %opt -passes=perdure-clone,perdure-instrument %s | FileCheck %s --check-prefix=LATE
; RUN: %opt -passes=perdure-clone,perdure-instrument,perdure-clone,perdure-instrument %s | FileCheck %s --check-prefix=LATE

declare void @free(ptr)
declare ptr @realloc(ptr, i64)
declare i64 @malloc_usable_size(ptr)

; Pointers lead there.
; EARLY: @table = global [1 x ptr] [ptr @perdure_free]
; LATE: @table = global [1 x ptr] [ptr @perdure_free]
@table = global [1 x ptr] [ptr @free]

; EARLY-LABEL: define void @outside(
; EARLY: call void @free(ptr %p)
; LATE-LABEL: define void @outside(
; LATE-NEXT: call void @perdure_free(ptr %p)
; LATE-NEXT: call ptr @perdure_realloc(ptr %q, i64 8)
; LATE-NEXT: call i64 @perdure_malloc_usable_size(ptr %q)
define void @outside(ptr %p, ptr %q) {
  call void @free(ptr %p)
  %moved = call ptr @realloc(ptr %q, i64 8)
  %size = call i64 @malloc_usable_size(ptr %q)
  ret void
}

; LATE: define weak void @perdure_free(ptr
; LATE: tail call void @free(ptr

; LATE-LABEL: define {{.*}}void @perdure_tm_inside(
; LATE: call void @perdure_tm_free(ptr %p)
define void @inside(ptr %p) "perdure-safe" {
  call void @free(ptr %p)
  ret void
}
