@_ZGVx = internal global i64 0
declare i32 @__cxa_guard_acquire(ptr)
define i32 @get() "perdure-safe" {
  %is_ours = call i32 @__cxa_guard_acquire(ptr @_ZGVx)
  ret i32 %is_ours
}
