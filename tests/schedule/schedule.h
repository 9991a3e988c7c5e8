#ifndef PERDURE_TESTS_SCHEDULE_H
#define PERDURE_TESTS_SCHEDULE_H

/// Aborts, and ends of the process, at chosen instrumented accesses. The linker puts schedule.cc between programs and
/// the entry points (--wrap, see CMakeLists.txt), so that it works with every library as it is.
namespace perdure::schedule {

/// Until `disarm`, transactions of this thread abort: at their access number `first`, when run again at a later one,
/// and so on until an attempt is over before its turn comes. Accesses are counted from one in each attempt.
/// \param in_turn  at every access in turn, not only at ever rarer ones.
void arm_aborts(unsigned long first, bool in_turn);
void disarm();

/// How many aborts there have been, in all threads.
unsigned long aborts();

/// This process is to end with SIGKILL at its access number `access` from now on.
void arm_kill(unsigned long access);

}  // namespace perdure::schedule

#endif
