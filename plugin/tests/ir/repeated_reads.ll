; A location is read once, unless something in between may have written it.
; RUN: %opt -passes=perdure-clone,perdure-instrument %s | FileCheck %s
; RUN: %opt -passes=perdure-clone,perdure-instrument -perdure-disable-elision=repeated-read %s | FileCheck %s --check-prefix=OFF
; RUN: %opt -passes=perdure-clone,perdure-instrument -pass-remarks=perdure -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=REMARK
; REMARK-COUNT-4: remark: {{.*}}: read left as it is: repeated-read
; REMARK-NOT: repeated-read
target triple = "x86_64-unknown-linux-gnu"

declare i64 @strlen(ptr)
declare void @elsewhere() "perdure-safe"

; CHECK-LABEL: define i64 @perdure_tm_once(
; CHECK-COUNT-1: call i64 @perdure_read_u64(ptr %p)
; CHECK: call void @perdure_write_u64(ptr %q, i64 %a)
; CHECK: call i64 @perdure_tm_strlen(ptr %q)
; CHECK-NOT: @perdure_read
; CHECK: ret i64
; OFF-LABEL: define i64 @perdure_tm_once(
; OFF-COUNT-4: call i64 @perdure_read_u64(
; OFF: ret i64
define i64 @once(ptr noalias %p, ptr noalias %q) "perdure-safe" {
  %a = load i64, ptr %p
  store i64 %a, ptr %q
  %b = load i64, ptr %p
  %length = call i64 @strlen(ptr %q) memory(argmem: read)
  %c = load i64, ptr %p
  %d = load i64, ptr %q
  %x = add i64 %a, %b
  %y = add i64 %c, %d
  %z = add i64 %x, %y
  ret i64 %z
}

; On every path that leads there.
; CHECK-LABEL: define i64 @perdure_tm_paths(
; CHECK: then:
; CHECK: %b = call i64 @perdure_read_u64(ptr %p)
; CHECK: else:
; CHECK: %c = call i64 @perdure_read_u64(ptr %p)
; CHECK: %d = call i64 @perdure_read_u64(ptr %q)
; CHECK-NOT: @perdure_read
; CHECK: ret
define i64 @paths(ptr %p, ptr %q, i1 %choice) "perdure-safe" {
  br i1 %choice, label %then, label %else
then:
  %b = load i64, ptr %p
  ret i64 %b
else:
  %c = load i64, ptr %p
  %d = load i64, ptr %q
  %e = load i64, ptr %p
  %f = add i64 %d, %e
  %g = add i64 %f, %c
  ret i64 %g
}

; Something may have written it: another pointer, a call, another part of it; and another type is another read.
; CHECK-LABEL: define i64 @perdure_tm_again(
; CHECK-COUNT-4: call i64 @perdure_read_u64(ptr %p)
; CHECK: call double @perdure_read_f64(ptr %p)
define i64 @again(ptr %p, ptr %q) "perdure-safe" {
  %a = load i64, ptr %p
  store i64 %a, ptr %q
  %b = load i64, ptr %p
  call void @elsewhere()
  %c = load i64, ptr %p
  %part = getelementptr i8, ptr %p, i64 3
  store i8 5, ptr %part
  %d = load i64, ptr %p
  %real = load double, ptr %p
  %e = fptosi double %real to i64
  %x = add i64 %a, %b
  %y = add i64 %c, %d
  %z = add i64 %x, %y
  %w = add i64 %z, %e
  ret i64 %w
}
