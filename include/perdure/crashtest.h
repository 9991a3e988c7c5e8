#ifndef PERDURE_CRASHTEST_H
#define PERDURE_CRASHTEST_H

/// What a program defines to be tested for crashes, and may call meanwhile. Link it with a library whose name ends in
/// _sim (`perdure-c++ --tm=orec_lazy_fast_sim`) and run it by `perdure-crashtest`, which crashes the workload at every
/// point, in every way that persistent memory allows, and lets the check look at what recovery finds.

#ifdef __cplusplus
extern "C" {
#endif

/// Defined by the program: opens the pool, which is new at first, works, and closes it. Is called several times, and
/// must do the same each time.
///
/// \returns 0 if it could work.
int perdure_crash_workload(const char* pool);

/// Defined by the program: opens the pool after a crash, which recovers it, and looks whether all is well. When
/// recovery itself is crashed (`--depth=2`), it may see what an earlier call has changed.
///
/// \returns 0 if it is; anything else, or an exception, is a violation.
int perdure_crash_check(const char* pool);

/// To be called by the workload: what it has done up to `step` must not be lost from now on. Steps are numbered from 1.
void perdure_crash_acknowledge(unsigned long long step);

/// To be called by the check: the last step that was acknowledged before the crash; 0: none.
unsigned long long perdure_crash_acknowledged(void);

#ifdef __cplusplus
}
#endif

#endif
