; Calls through pointers go to the clone that the table has at run time; the file's functions whose address is taken are
; cloned and entered into it.
; RUN: %opt -passes=perdure-clone %s | FileCheck %s --check-prefixes=CHECK,EARLY
; RUN: %opt -passes=perdure-clone,perdure-instrument %s | FileCheck %s --check-prefixes=CHECK,LATE
; RUN: %opt -passes='perdure-clone,function(instcombine),perdure-instrument' %s | FileCheck %s --check-prefix=KNOWN
; RUN: %opt -passes=perdure-clone,perdure-clone,perdure-instrument,perdure-instrument %s | FileCheck %s --check-prefix=ONCE
; RUN: sed 's/perdure-safe/other/; s/= constant/= internal constant/' %s | %opt -passes=perdure-clone | FileCheck %s --check-prefix=NOTHING

; A file without transactions and safe functions gets nothing, but for constants that others know.
; NOTHING-NOT: @perdure

@table = constant [3 x ptr] [ptr @in_constant, ptr @elsewhere, ptr @malloc]
@relative = constant { i64 } { i64 ptrtoint (ptr @in_expression to i64) }
@alias = alias void (ptr), ptr @through_alias
@variable = global ptr @alias

; CHECK: @perdure.refusal = private unnamed_addr constant {{.*}}: call to 'unknown' in a transaction cannot be made transactional\00"
; CHECK: @perdure.refusal.{{[0-9]+}} = private unnamed_addr constant {{.*}}it is marked {{..}}perdure::unsafe]]\00"
; CHECK: @perdure.clones = internal constant [12 x { ptr, ptr, ptr }] [
; CHECK-SAME: { ptr @elsewhere, ptr @perdure_tm_elsewhere, ptr null }
; CHECK-SAME: { ptr @malloc, ptr @perdure_tm_malloc, ptr null }
; CHECK-SAME: { ptr @in_constant, ptr @perdure_tm_in_constant, ptr null }
; CHECK-SAME: { ptr @in_expression, ptr @perdure_tm_in_expression, ptr null }
; CHECK-SAME: { ptr @through_alias, ptr @perdure_tm_through_alias, ptr null }
; CHECK-SAME: { ptr @stored, ptr @perdure_tm_stored, ptr null }
; CHECK-SAME: { ptr @refused, ptr null, ptr @perdure.refusal }
; CHECK-SAME: { ptr @reaches_refused, ptr null, ptr @perdure.refusal.{{[0-9]+}} }
; CHECK-SAME: { ptr @forbidden, ptr null, ptr @perdure.refusal.{{[0-9]+}} }
; CHECK-SAME: { ptr @pure, ptr @pure, ptr null }
; CHECK-SAME: { ptr @calls, ptr @perdure_tm_calls, ptr null }, { ptr, ptr, ptr } { ptr @known, ptr @perdure_tm_known, ptr null }]
; CHECK: @llvm.global_ctors = appending global {{.*}}{ i32 50, ptr @perdure.add_clones, ptr null }
; ONCE: @perdure.clones = internal constant
; ONCE-NOT: @perdure.clones.

declare void @unknown()
declare void @elsewhere(ptr) "perdure-safe"
declare ptr @malloc(i64)
declare i32 @__cxa_atexit(ptr, ptr, ptr)
declare i32 @personality(...)

define void @in_constant(ptr %p) {
  ret void
}
define void @in_expression(ptr %p) {
  ret void
}
define void @through_alias(ptr %p) {
  ret void
}
define internal void @stored(ptr byval(i64) %p) {
  ret void
}
define void @refused() {
  call void @unknown()
  ret void
}
define void @reaches_refused() {
  call void @refused()
  ret void
}
define void @forbidden() "perdure-unsafe" {
  ret void
}
define void @pure() "perdure-pure" {
  ret void
}

; These two are not in the table.
define internal void @destroy(ptr %p) {
  ret void
}
define void @only_called() {
  ret void
}

define void @takes_addresses(ptr %p) personality ptr @personality {
  store ptr @stored, ptr %p
  store ptr @refused, ptr %p
  store ptr @reaches_refused, ptr %p
  store ptr @forbidden, ptr %p
  store ptr @pure, ptr %p
  store ptr @unknown, ptr %p
  %done = call i32 @__cxa_atexit(ptr @destroy, ptr %p, ptr null)
  call void @only_called()
  ret void
}

%struct = type { [5 x i64] }

; CHECK-LABEL: define void @perdure_tm_calls(
; CHECK: %[[CLONE:[0-9]+]] = call ptr @perdure_clone_of(ptr %function, ptr @{{.*}})
; EARLY-SAME: #[[LOOKUP:[0-9]+]]
; EARLY: invoke void %[[CLONE]](ptr sret(%struct) %result, ptr byval(%struct) %shared)
; Shared memory that is passed by value is copied to the frame.
; LATE: call void @perdure_read_bytes(ptr %[[COPY:[0-9]+]], ptr %shared, i64 40)
; LATE: invoke void %[[CLONE]](ptr sret(%struct) %result, ptr byval(%struct) %[[COPY]])
; CHECK-NEXT: to label %done unwind label %failed
; CHECK: %[[TAIL:[0-9]+]] = call ptr @perdure_clone_of(ptr %function, ptr @{{.*}})
; CHECK: musttail call void %[[TAIL]](ptr %result, ptr %shared, ptr %function)
define void @calls(ptr %result, ptr %shared, ptr %function) "perdure-safe" personality ptr @personality {
  invoke void %function(ptr sret(%struct) %result, ptr byval(%struct) %shared) to label %done unwind label %failed
failed:
  %e = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %e
done:
  musttail call void %function(ptr %result, ptr %shared, ptr %function)
  ret void
}

; What the optimiser has found out needs no lookup.
; KNOWN-LABEL: define internal void @perdure_tm_known(
; KNOWN-NOT: @perdure_clone_of
; KNOWN: call void @perdure_tm_stored(
define internal void @known(ptr %p) "perdure-safe" {
  %pointer = freeze ptr @stored
  call void %pointer(ptr byval(i64) %p)
  ret void
}

; EARLY: attributes #[[LOOKUP]] = { nounwind memory(none) }
