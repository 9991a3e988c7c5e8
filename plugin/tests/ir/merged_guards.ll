; The optimiser has put the ends of two initialisations together, where an exception gives them up: each is taken out
; with an end of its own, and what comes behind them has the exception of the way that was gone.
; RUN: %opt -passes=perdure-clone,verify %s | FileCheck %s

@_ZGVx = internal global i64 0
@_ZGVy = internal global i64 0
@x = internal global i64 0
@y = internal global i64 0

declare i32 @__cxa_guard_acquire(ptr)
declare void @__cxa_guard_release(ptr)
declare void @__cxa_guard_abort(ptr)
declare i64 @compute(ptr)
declare i32 @__gxx_personality_v0(...)

; CHECK-LABEL: define i64 @perdure_tm_get(
; CHECK: call i32 @perdure_guard_acquire(ptr @_ZGVx)
; CHECK: call {{.*}}@perdure_tm_get.initialiser
; CHECK: call i32 @perdure_guard_acquire(ptr @_ZGVy)
; CHECK: call {{.*}}@perdure_tm_get.initialiser
; CHECK-NOT: @compute
; CHECK: %[[NUMBER:.*]] = phi i64 [ %number.guard.reload, %{{.*}} ], [ %number.reload,
; CHECK: store i64 %[[NUMBER]], ptr %argument
; CHECK: resume
define i64 @get(ptr %argument) "perdure-safe" personality ptr @__gxx_personality_v0 {
entry:
  %g = load atomic i8, ptr @_ZGVx acquire, align 8
  %is_new = icmp eq i8 %g, 0
  br i1 %is_new, label %check, label %next
check:
  %is_ours = call i32 @__cxa_guard_acquire(ptr @_ZGVx)
  %initialises = icmp ne i32 %is_ours, 0
  br i1 %initialises, label %initialise, label %next
initialise:
  %value = invoke i64 @compute(ptr %argument) to label %store unwind label %failed
store:
  store i64 %value, ptr @x
  call void @__cxa_guard_release(ptr @_ZGVx)
  br label %next
failed:
  %e = landingpad { ptr, i32 } cleanup
  br label %give_up
next:
  %g2 = load atomic i8, ptr @_ZGVy acquire, align 8
  %is_new2 = icmp eq i8 %g2, 0
  br i1 %is_new2, label %check2, label %done
check2:
  %is_ours2 = call i32 @__cxa_guard_acquire(ptr @_ZGVy)
  %initialises2 = icmp ne i32 %is_ours2, 0
  br i1 %initialises2, label %initialise2, label %done
initialise2:
  %value2 = invoke i64 @compute(ptr %argument) to label %store2 unwind label %failed2
store2:
  store i64 %value2, ptr @y
  call void @__cxa_guard_release(ptr @_ZGVy)
  br label %done
failed2:
  %e2 = landingpad { ptr, i32 } cleanup
  br label %give_up
give_up:
  %guard = phi ptr [ @_ZGVx, %failed ], [ @_ZGVy, %failed2 ]
  %number = phi i64 [ 3, %failed ], [ 4, %failed2 ]
  %thrown = phi { ptr, i32 } [ %e, %failed ], [ %e2, %failed2 ]
  %is_odd = icmp eq ptr %argument, null
  br i1 %is_odd, label %odd, label %even
odd:
  br label %even
even:
  call void @__cxa_guard_abort(ptr %guard)
  br label %out
done:
  %result = load i64, ptr @x, align 8
  ret i64 %result
out:
  store i64 %number, ptr %argument, align 8
  resume { ptr, i32 } %thrown
}

; CHECK-LABEL: define internal {{.*}}@perdure_tm_get.initialiser
; CHECK: invoke i64 @compute
; CHECK: call void @perdure_guard_release(ptr @_ZGV[[FIRST:.]])
; CHECK: call void @perdure_guard_abort(ptr @_ZGV[[FIRST]])
; CHECK-LABEL: define internal {{.*}}@perdure_tm_get.initialiser
; CHECK: invoke i64 @compute
; CHECK: call void @perdure_guard_release(ptr @_ZGV[[SECOND:.]])
; CHECK: call void @perdure_guard_abort(ptr @_ZGV[[SECOND]])
