; What was deduced about loads and stores is not true of calls, and is removed from clones and calls of clones, here and
; for clones in other files. What still holds stays.
; RUN: %opt -passes=perdure-clone,perdure-instrument %s | FileCheck %s
target datalayout = "e-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare noalias ptr @elsewhere(ptr nocapture readonly dereferenceable(8)) memory(read) nosync willreturn "perdure-safe"

; CHECK: define nonnull ptr @reads(ptr noalias nonnull readonly %p) #[[ORIGINAL:[0-9]+]]
; CHECK: define nonnull ptr @perdure_tm_reads(ptr nonnull %p) #[[CLONE:[0-9]+]]
; CHECK: = call ptr @perdure_tm_elsewhere(ptr %p){{$}}
; The frame may be written through an entry point, by way of another type.
; CHECK: store i64 1, ptr %local, align 8{{$}}
define nonnull ptr @reads(ptr noalias nonnull readonly %p) memory(read) nosync nofree norecurse willreturn speculatable nounwind "perdure-safe" {
  %local = alloca i64
  %a = call noalias ptr @elsewhere(ptr nocapture readonly %p) memory(read) willreturn
  store i64 1, ptr %local, !tbaa !0
  ret ptr %a
}

; CHECK: declare ptr @perdure_tm_elsewhere(ptr) #[[ELSEWHERE:[0-9]+]]
; CHECK-DAG: attributes #[[ORIGINAL]] = {{{.*}} memory(read)
; CHECK-DAG: attributes #[[CLONE]] = { nounwind "perdure-clone"="instrumented" "perdure-safe" }
; CHECK-DAG: attributes #[[ELSEWHERE]] = { "perdure-safe" }

!0 = !{!1, !1, i64 0}
!1 = !{!"long", !2}
!2 = !{!"root"}
