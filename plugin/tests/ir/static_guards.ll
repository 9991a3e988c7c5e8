; Initialisers of static local variables are taken out of clones and run as they are; whether they have run is looked up
; as outside of transactions.
; RUN: %opt -passes=perdure-clone,perdure-instrument %s | FileCheck %s
; RUN: not %opt -passes=perdure-clone -S %S/Inputs/odd_guard.ll -o /dev/null 2>&1 | FileCheck %s --check-prefix=ODD

@_ZGVx = internal global i64 0
@x = internal global i64 0

declare i32 @__cxa_guard_acquire(ptr)
declare void @__cxa_guard_release(ptr)
declare void @__cxa_guard_abort(ptr)
declare i64 @compute(ptr)
declare void @report(ptr)
declare void @_ZSt9terminatev()
declare i32 @__gxx_personality_v0(...)

; CHECK-LABEL: define i64 @perdure_tm_get(
; CHECK: load atomic i8, ptr @_ZGVx acquire
; CHECK: call i32 @perdure_guard_acquire(ptr @_ZGVx)
; CHECK: call {{.*}}@perdure_tm_get.initialiser(ptr %argument,
; CHECK-NOT: @compute
; What comes after the guard is given up, and the end of the function, are the transaction's.
; CHECK: call i64 @perdure_read_u64(ptr @x)
; CHECK: call void @perdure_write_u64(ptr %argument, i64 3)
; CHECK: resume
define i64 @get(ptr %argument) "perdure-safe" personality ptr @__gxx_personality_v0 {
entry:
  %exception = alloca { ptr, i32 }
  %g = load atomic i8, ptr @_ZGVx acquire, align 8
  %is_new = icmp eq i8 %g, 0
  br i1 %is_new, label %check, label %done
check:
  %is_ours = call i32 @__cxa_guard_acquire(ptr @_ZGVx)
  %initialises = icmp ne i32 %is_ours, 0
  br i1 %initialises, label %initialise, label %done
initialise:
  %value = invoke i64 @compute(ptr %argument) to label %store unwind label %failed
store:
  store i64 %value, ptr @x
  call void @__cxa_guard_release(ptr @_ZGVx)
  br label %done
failed:
  %e = landingpad { ptr, i32 } cleanup
  store { ptr, i32 } %e, ptr %exception
  invoke void @report(ptr @x) to label %give_up unwind label %dead_end
give_up:
  call void @__cxa_guard_abort(ptr @_ZGVx)
  br label %out
done:
  %result = load i64, ptr @x, align 8
  %more = icmp eq i64 %result, 7
  br i1 %more, label %second, label %return
second:
  invoke void @get_again(ptr %argument) to label %return unwind label %dead_end
return:
  ret i64 %result
out:
  store i64 3, ptr %argument, align 8
  %thrown = load { ptr, i32 }, ptr %exception
  resume { ptr, i32 } %thrown
; Shared by the initialiser and the function.
dead_end:
  %d = landingpad { ptr, i32 } catch ptr null
  call void @_ZSt9terminatev()
  unreachable
}

define void @get_again(ptr %argument) {
  ret void
}

; CHECK-LABEL: define internal {{.*}}@perdure_tm_get.initialiser(
; CHECK-NOT: @perdure_write
; CHECK: invoke i64 @compute(ptr %argument)
; CHECK: store i64 %{{.*}}, ptr @x
; CHECK: call void @perdure_guard_release(ptr @_ZGVx)
; CHECK: landingpad
; CHECK: call void @perdure_guard_abort(ptr @_ZGVx)

; ODD: error: this initialisation of a static local variable in a transaction cannot be made transactional
