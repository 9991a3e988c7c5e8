#ifndef PERDURE_TESTS_PORTABLE_OPERATION_DOUBLE_H
#define PERDURE_TESTS_PORTABLE_OPERATION_DOUBLE_H

/// In place of perdure_run_operation: another thread runs each portable block, on a copy of the locals that it
/// captures. Meanwhile the locals themselves hold nonsense, so a block that went past its copy would show.
namespace perdure::tests {

/// How many blocks another thread has run to the end.
int runs_elsewhere();

/// How many were given back to their owner, since an exception left them.
int runs_given_back();

}  // namespace perdure::tests

#endif
