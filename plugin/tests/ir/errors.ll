; Without a front end, errors go to standard error, all of them.
; RUN: not %opt -passes=perdure-clone %s -o /dev/null 2>&1 | FileCheck %s

declare void @perdure_run(ptr, ptr)
declare void @unknown()
declare void @forbidden() "perdure-unsafe"
declare void @llvm.va_start.p0(ptr)
declare <2 x i32> @llvm.masked.expandload.v2i32(ptr, <2 x i1>, <2 x i32>)
declare <4 x i1> @llvm.masked.load.v4i1.p0(ptr, i32, <4 x i1>, <4 x i1>)
declare <vscale x 2 x i32> @llvm.masked.load.nxv2i32.p0(ptr, i32, <vscale x 2 x i1>, <vscale x 2 x i32>)

; CHECK-DAG: error: call to 'unknown' in a transaction cannot be made transactional
; CHECK-DAG: note: called from here, in 'body'
; CHECK-DAG: note: the transaction begins here
; CHECK-DAG: error: call to 'forbidden' in a transaction, but it is marked {{..}}perdure::unsafe]]
; CHECK-DAG: error: an access to another address space in a transaction
; CHECK-DAG: error: inline assembly in a transaction that touches memory
; CHECK-DAG: error: va_arg in a transaction
; CHECK-DAG: error: 'llvm.masked.expandload.v2i32' in a transaction
; CHECK-DAG: error: a masked access to elements that are not whole bytes
; CHECK-DAG: error: a masked access to a vector of unknown length
; CHECK-DAG: error: 'perdure_run' is called through a pointer
; CHECK-DAG: error: the body of this transaction is not a function that is defined in this file
; CHECK: transactions of this module cannot be compiled
; CHECK-NOT: fine
define void @body(ptr %p) {
  call void @reaches(ptr %p)
  %s = load i32, ptr addrspace(256) null
  call void asm sideeffect "movl $$0, (%rax)", "~{memory}"()
  call void %p()
  %i = va_arg ptr %p, i32
  %e = call <2 x i32> @llvm.masked.expandload.v2i32(ptr %p, <2 x i1> zeroinitializer, <2 x i32> zeroinitializer)
  %m = call <4 x i1> @llvm.masked.load.v4i1.p0(ptr %p, i32 1, <4 x i1> zeroinitializer, <4 x i1> zeroinitializer)
  %n = call <vscale x 2 x i32> @llvm.masked.load.nxv2i32.p0(ptr %p, i32 4, <vscale x 2 x i1> zeroinitializer,
                                                            <vscale x 2 x i32> zeroinitializer)
  call void @fine(ptr %p)
  ret void
}

define void @reaches(ptr %p) {
  call void @unknown()
  call void @forbidden()
  ret void
}

define void @fine(ptr %p) {
  %local = alloca i32
  %v = load volatile i32, ptr %p
  call void asm sideeffect "", "~{memory}"()
  %t = call i32 asm sideeffect "rdtsc", "={ax},~{dx}"()
  fence syncscope("singlethread") seq_cst
  ret void
}

; Outside of transactions everything is allowed.
define void @program(ptr %p) {
  call void @unknown()
  call void @perdure_run(ptr @body, ptr %p)
  call void @perdure_run(ptr %p, ptr %p)
  call void %p(ptr @perdure_run)
  ret void
}
