; Locals of the function that runs a transaction are accessed as they are when their address goes nowhere but into the closure.
; RUN: %opt -passes=perdure-clone,perdure-instrument %s | FileCheck %s
; RUN: %opt -passes=perdure-clone,perdure-instrument %s | FileCheck %s --check-prefix=CALLER
; RUN: %opt -passes=perdure-clone,perdure-instrument %s | FileCheck %s --check-prefix=COPY
; RUN: %opt -passes=perdure-clone,perdure-instrument -perdure-disable-elision=private-local %s | FileCheck %s --check-prefix=OFF
; OFF-NOT: @perdure_save_local
target triple = "x86_64-unknown-linux-gnu"

%closure = type { ptr, ptr }

declare void @perdure_run(ptr, ptr)
declare void @elsewhere(ptr) "perdure-safe"
declare void @look(ptr nocapture readonly) "perdure-safe"
declare void @keep(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)

; Read, and written: what is written is saved first. The closure is a local as well.
; COPY-LABEL: define internal void @perdure_tm_body.2(ptr %closure)
; COPY: [[SAVED:%.*]] = load ptr, ptr %closure
; COPY: call void @perdure_save_local(ptr [[SAVED]], i64 16)
; COPY: %result = load ptr, ptr %closure
; COPY: %count = load ptr, ptr %second
; COPY: %old = load i64, ptr %count
; COPY: call i64 @perdure_read_u64(ptr @shared)
; COPY: store i64 %sum, ptr %upper
; COPY-NOT: call
; COPY: ret void
; OFF-LABEL: define void @perdure_tm_body(
; OFF-COUNT-4: perdure_read_
; OFF: call void @perdure_write_u64(
; OFF: ret void
@shared = global i64 0
define void @body(ptr %closure) noinline {
  %result = load ptr, ptr %closure
  %second = getelementptr %closure, ptr %closure, i32 0, i32 1
  %count = load ptr, ptr %second
  %old = load i64, ptr %count
  %value = load i64, ptr @shared
  %sum = add i64 %old, %value
  %upper = getelementptr i8, ptr %result, i64 8
  store i64 %sum, ptr %upper
  ret void
}

; CALLER-LABEL: define i64 @caller(
; CALLER: call void @perdure_run(ptr @perdure_tm_body.2, ptr %closure)
define i64 @caller(i64 %n) {
  %closure = alloca %closure
  %result = alloca [2 x i64]
  %count = alloca i64
  store i64 %n, ptr %count
  store ptr %result, ptr %closure
  %second = getelementptr %closure, ptr %closure, i32 0, i32 1
  store ptr %count, ptr %second
  call void @perdure_run(ptr @body, ptr %closure)
  %upper = getelementptr i64, ptr %result, i64 1
  %sum = load i64, ptr %upper
  ret i64 %sum
}

; The same body for locals that others know: only the closure is private.
; CALLER-LABEL: define void @known_to_others(
; CALLER: call void @perdure_run(ptr @perdure_tm_body.1, ptr %closure)
define void @known_to_others(ptr %count) {
  %closure = alloca %closure
  %result = alloca [2 x i64]
  call void @keep(ptr %result)
  store ptr %result, ptr %closure
  %second = getelementptr %closure, ptr %closure, i32 0, i32 1
  store ptr %count, ptr %second
  call void @perdure_run(ptr @body, ptr %closure)
  ret void
}

; A closure that is not the caller's own: the clone for everybody, where all is instrumented.
; CALLER-LABEL: define void @unknown_closure(
; CALLER: call void @perdure_run(ptr @perdure_tm_body, ptr %closure)
define void @unknown_closure(ptr %closure) {
  call void @perdure_run(ptr @body, ptr %closure)
  ret void
}

; The last run comes first.
define void @changes_the_closure(ptr %other) {
  %closure = alloca ptr
  %local = alloca i64
  store ptr %local, ptr %closure
  store ptr %other, ptr %closure
  call void @perdure_run(ptr @reads_first, ptr %closure)
  ret void
}

define void @callers() {
  %a = alloca ptr
  %b = alloca ptr
  %c = alloca ptr
  %d = alloca ptr
  %e = alloca ptr
  %f = alloca ptr
  %g = alloca ptr
  %i = alloca i64
  %j = alloca i64
  %k = alloca i64
  %l = alloca i64
  %m = alloca i64
  %n = alloca i64
  %o = alloca i64
  store ptr %o, ptr %g
  call void @perdure_run(ptr @chooses, ptr %g)
  store ptr %n, ptr %f
  call void @perdure_run(ptr @moves, ptr %f)
  store ptr %m, ptr %e
  call void @perdure_run(ptr @copies, ptr %e)
  store ptr %l, ptr %d
  call void @perdure_run(ptr @has_read_and_writes, ptr %d)
  store ptr %k, ptr %c
  call void @perdure_run(ptr @has_read, ptr %c)
  store ptr %j, ptr %b
  call void @perdure_run(ptr @publishes, ptr %b)
  store ptr %i, ptr %a
  call void @perdure_run(ptr @hands_out, ptr %a)
  ret void
}

; What the body hands out, or has others write to, is not private; what others only read is, unless the body writes to it.
; CHECK-LABEL: define internal void @perdure_tm_hands_out(ptr %closure)
; CHECK-NOT: @perdure_save_local
; CHECK: %local = load ptr, ptr %closure
; CHECK: call void @perdure_tm_elsewhere(ptr %local)
; CHECK: call void @perdure_write_u64(ptr %local, i64 1)
; CHECK: ret void
define internal void @hands_out(ptr %closure) noinline {
  %local = load ptr, ptr %closure
  call void @elsewhere(ptr %local)
  store i64 1, ptr %local
  ret void
}

; CHECK-LABEL: define internal void @perdure_tm_publishes(ptr %closure)
; CHECK-NOT: @perdure_save_local
; CHECK: call void @perdure_write_ptr(ptr @shared, ptr %local)
; CHECK: call void @perdure_write_u64(ptr %local, i64 1)
; CHECK: ret void
define internal void @publishes(ptr %closure) noinline {
  %local = load ptr, ptr %closure
  store ptr %local, ptr @shared
  store i64 1, ptr %local
  ret void
}

; CHECK-LABEL: define internal void @perdure_tm_has_read(ptr %closure)
; CHECK: call void @perdure_tm_look(ptr %local)
; CHECK: %value = load i64, ptr %local
define internal void @has_read(ptr %closure) noinline {
  %local = load ptr, ptr %closure
  call void @look(ptr %local)
  %value = load i64, ptr %local
  store i64 %value, ptr @shared
  ret void
}

; CHECK-LABEL: define internal void @perdure_tm_has_read_and_writes(ptr %closure)
; CHECK-NOT: @perdure_save_local
; CHECK: call void @perdure_tm_look(ptr %local)
; CHECK: call void @perdure_write_u64(ptr %local, i64 1)
define internal void @has_read_and_writes(ptr %closure) noinline {
  %local = load ptr, ptr %closure
  call void @look(ptr %local)
  store i64 1, ptr %local
  ret void
}

; One side of a copy may be shared; of a move the runtime does both.
; CHECK-LABEL: define internal void @perdure_tm_copies(ptr %closure)
; CHECK: call void @perdure_save_local(ptr {{.*}}, i64 8)
; CHECK-NOT: @perdure_memcpy
; CHECK: [[VALUE:%.*]] = call i64 @perdure_read_u64(ptr @shared)
; CHECK: store i64 [[VALUE]], ptr %local
; CHECK: ret void
define internal void @copies(ptr %closure) noinline {
  %local = load ptr, ptr %closure
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %local, ptr align 8 @shared, i64 8, i1 false)
  ret void
}

; CHECK-LABEL: define internal void @perdure_tm_moves(ptr %closure)
; CHECK-NOT: @perdure_save_local
; CHECK: call ptr @perdure_memmove(ptr %local, ptr @shared, i64 8)
; CHECK: call void @perdure_write_u64(ptr %local, i64 1)
define internal void @moves(ptr %closure) noinline {
  %local = load ptr, ptr %closure
  call void @llvm.memmove.p0.p0.i64(ptr %local, ptr @shared, i64 8, i1 false)
  store i64 1, ptr %local
  ret void
}

; Either of two locals, and a place in one that is not known, are private; a pointer that may lead elsewhere is not.
; CHECK-LABEL: define internal void @perdure_tm_chooses(ptr %closure)
; CHECK-NOT: @perdure_save_local
; CHECK: call i64 @perdure_read_u64(ptr %either)
; CHECK: ret void
define internal void @chooses(ptr %closure) noinline {
  %local = load ptr, ptr %closure
  %known = icmp eq ptr %local, @shared
  %either = select i1 %known, ptr @shared, ptr %local
  %value = load i64, ptr %either
  store i64 %value, ptr @shared
  ret void
}

; A closure whose parts are changed, or read, in between: they may not be what they seem.
; CHECK-LABEL: define internal void @perdure_tm_reads_first(ptr %closure)
; CHECK: %local = load ptr, ptr %closure
; CHECK: call i64 @perdure_read_u64(ptr %local)
define internal void @reads_first(ptr %closure) noinline {
  %local = load ptr, ptr %closure
  %value = load i64, ptr %local
  store i64 %value, ptr @shared
  ret void
}
