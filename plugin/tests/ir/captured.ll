; Memory that the transaction has allocated is accessed as it is until others may hold a pointer to it.
; RUN: %opt -passes=perdure-clone,perdure-instrument %s | FileCheck %s
; RUN: %opt -passes=perdure-clone,perdure-instrument -perdure-disable-elision=captured %s | FileCheck %s --check-prefix=OFF
; OFF-NOT: @perdure_written_directly
target triple = "x86_64-unknown-linux-gnu"

declare ptr @_Znwm(i64)
declare ptr @malloc(i64)
declare ptr @calloc(i64, i64)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @elsewhere(ptr) "perdure-safe"
declare i32 @__gxx_personality_v0(...)

; Until the pointer is stored. Then the block is a shared one, also for this transaction.
; CHECK-LABEL: define void @perdure_tm_node(
; CHECK: %node = call ptr @perdure_tm__Znwm(i64 32)
; CHECK-NEXT: call void @perdure_written_directly(ptr %node)
; CHECK: call void @llvm.memset.p0.i64(ptr %node,
; CHECK: store i64 %value, ptr %node
; CHECK: %old = call ptr @perdure_read_ptr(ptr %head)
; CHECK: %[[STORED:.*]] = call ptr @perdure_code_address(ptr %next, ptr %old)
; CHECK: store ptr %[[STORED]], ptr %next
; CHECK: %again = load i64, ptr %node
; CHECK: call void @perdure_write_ptr(ptr %head, ptr %node)
; CHECK: call void @perdure_write_u64(ptr %node, i64 %again)
define void @node(ptr %head, i64 %value) "perdure-safe" {
  %node = call ptr @_Znwm(i64 32)
  call void @llvm.memset.p0.i64(ptr %node, i8 0, i64 32, i1 false)
  store i64 %value, ptr %node
  %old = load ptr, ptr %head
  %next = getelementptr i8, ptr %node, i64 8
  store ptr %old, ptr %next
  %known = icmp eq ptr %old, %node
  %last = getelementptr i64, ptr %next, i64 1
  store i1 %known, ptr %last
  %again = load i64, ptr %node, align 8
  %sum = add i64 %again, 1
  store ptr %node, ptr %head
  store i64 %again, ptr %node
  ret void
}

; A call, a copy, a choice, and a return hand it out.
; CHECK-LABEL: define ptr @perdure_tm_handed_out(
; CHECK-NOT: @perdure_written_directly
; CHECK: call void @perdure_tm_elsewhere(ptr %a)
; CHECK: call void @perdure_write_u64(ptr %a, i64 1)
; CHECK: call {{.*}} @perdure_{{memcpy|read_bytes|read_u64}}(
; CHECK: call void @perdure_write_u64(ptr %b, i64 2)
; CHECK: call void @perdure_write_u64(ptr %either, i64 3)
; CHECK: call void @perdure_write_u64(ptr %c, i64 4)
; CHECK: call i64 @perdure_read_u64(ptr %zeros)
define ptr @handed_out(ptr %from, i1 %choice) "perdure-safe" {
  %a = call ptr @_Znwm(i64 8)
  call void @elsewhere(ptr %a)
  store i64 1, ptr %a
  %b = call ptr @malloc(i64 8)
  call void @llvm.memcpy.p0.p0.i64(ptr %b, ptr %from, i64 8, i1 false)
  store i64 2, ptr %b
  %c = call ptr @malloc(i64 8)
  %either = select i1 %choice, ptr %c, ptr %from
  store i64 3, ptr %either
  store i64 4, ptr %c
  %zeros = call ptr @calloc(i64 1, i64 8)
  %zero = load i64, ptr %zeros
  ret ptr %b
}

; Another round makes another block; the one of the last round is out of hands.
; CHECK-LABEL: define void @perdure_tm_rounds(
; CHECK: store i64 %i, ptr %block
; CHECK: call void @perdure_write_ptr(ptr %place, ptr %block)
; CHECK: call void @perdure_write_u64(ptr %once, i64 %i)
; CHECK: call void @perdure_write_ptr(ptr %place, ptr %once)
define void @rounds(ptr %place, i64 %n) "perdure-safe" {
entry:
  %once = call ptr @_Znwm(i64 8)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %block = call ptr @_Znwm(i64 8)
  store i64 %i, ptr %block
  store ptr %block, ptr %place
  store i64 %i, ptr %once
  store ptr %once, ptr %place
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Paths count: on the one it has escaped, on the other it has not.
; CHECK-LABEL: define void @perdure_tm_paths(
; CHECK: then:
; CHECK: call void @perdure_write_u64(ptr %block, i64 1)
; CHECK: else:
; CHECK: store i64 2, ptr %block
; CHECK: end:
; CHECK: call void @perdure_write_u64(ptr %block, i64 3)
define void @paths(ptr %place, i1 %choice) "perdure-safe" {
  %block = call ptr @_Znwm(i64 8)
  br i1 %choice, label %then, label %else
then:
  store ptr %block, ptr %place
  store i64 1, ptr %block
  br label %end
else:
  store i64 2, ptr %block
  br label %end
end:
  store i64 3, ptr %block
  ret void
}

; An allocation that may throw: it is announced where the block is there.
; CHECK-LABEL: define void @perdure_tm_invoked(
; CHECK: %block = invoke ptr @perdure_tm__Znwm(i64 8)
; CHECK-NEXT: to label %[[THERE:.*]] unwind label %failed
; CHECK: [[THERE]]:
; CHECK-NEXT: call void @perdure_written_directly(ptr %block)
; CHECK: store i64 1, ptr %block
define void @invoked(ptr %place, i1 %choice) "perdure-safe" personality ptr @__gxx_personality_v0 {
  br i1 %choice, label %allocate, label %end
allocate:
  %block = invoke ptr @_Znwm(i64 8) to label %join unwind label %failed
failed:
  %e = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %e
join:
  store i64 1, ptr %block
  br label %end
end:
  ret void
}

; What is only read needs no flush.
; CHECK-LABEL: define i64 @perdure_tm_only_read(
; CHECK-NOT: @perdure_written_directly
; CHECK: load i64, ptr %block
define i64 @only_read() "perdure-safe" {
  %block = call ptr @_Znwm(i64 8)
  %value = load i64, ptr %block
  ret i64 %value
}

; What comes from elsewhere may lead to a constant of the program, however it comes: in a struct, in a vector, as a number.
; CHECK-LABEL: define void @perdure_tm_store_parts(
; CHECK: call ptr @perdure_code_address(
; CHECK: call ptr @perdure_code_address(
; CHECK: call ptr @perdure_code_address(
; CHECK: ret void
declare { ptr, i64 } @parts() "perdure-safe"
define void @store_parts(ptr %head, i64 %number) "perdure-safe" {
  %node = call ptr @_Znwm(i64 32)
  %parts = call { ptr, i64 } @parts()
  %text = extractvalue { ptr, i64 } %parts, 0
  store ptr %text, ptr %node
  %second = getelementptr i8, ptr %node, i64 8
  %named = inttoptr i64 %number to ptr
  store ptr %named, ptr %second
  %third = getelementptr i8, ptr %node, i64 16
  %pair = load <2 x ptr>, ptr %head
  %element = extractelement <2 x ptr> %pair, i64 1
  store ptr %element, ptr %third
  store ptr %node, ptr %head
  ret void
}
