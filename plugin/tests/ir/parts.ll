; perdure_nested stays, with the clone of its body: the runtime calls that behind a checkpoint of its own.
; RUN: %opt -passes=perdure-clone,perdure-instrument %s | FileCheck %s
; RUN: %opt -passes=perdure-clone,perdure-clone,perdure-instrument,perdure-instrument %s | FileCheck %s
target triple = "x86_64-unknown-linux-gnu"

%closure = type { ptr }

declare void @perdure_run(ptr, ptr)
declare i32 @perdure_nested(ptr, ptr)

; Outside of transactions as well: it is one there.
; CHECK-LABEL: define i32 @program(
; CHECK: call void @perdure_run(ptr @perdure_tm_body, ptr %closure)
; CHECK: call i32 @perdure_nested(ptr @perdure_tm_part, ptr %closure)
define i32 @program() {
  %local = alloca i64
  %closure = alloca %closure
  store ptr %local, ptr %closure
  call void @perdure_run(ptr @body, ptr %closure)
  %result = call i32 @perdure_nested(ptr @part, ptr %closure)
  ret i32 %result
}

; What a part may write is not private to the body around it: undoing the part must be seen there.
; CHECK-LABEL: define internal void @perdure_tm_body(
; CHECK-NOT: perdure_save_local
; CHECK: call i32 @perdure_nested(ptr @perdure_tm_part, ptr %closure)
; CHECK: call i64 @perdure_read_u64(
; CHECK: ret void
define internal void @body(ptr %closure) noinline {
  %1 = call i32 @perdure_nested(ptr @part, ptr %closure)
  %local = load ptr, ptr %closure
  %value = load i64, ptr %local
  %sum = add i64 %value, 1
  store i64 %sum, ptr %local
  ret void
}

; CHECK-LABEL: define internal i32 @perdure_tm_part(
; CHECK: call void @perdure_write_u64(
define internal i32 @part(ptr %closure) noinline {
  %local = load ptr, ptr %closure
  store i64 5, ptr %local
  ret i32 0
}
