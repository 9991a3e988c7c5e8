#ifndef PERDURE_PLUGIN_TESTS_DEFERRED_RUNTIME_H
#define PERDURE_PLUGIN_TESTS_DEFERRED_RUNTIME_H

/// What programs see of the runtime that the end-to-end tests of the plugin run on (deferred_runtime.cc).
namespace deferred_runtime {

/// How many reads and writes were instrumented so far: a test that expects none would otherwise pass by doing nothing.
unsigned long reads();
unsigned long writes();

/// How many attempts were abandoned so far.
unsigned long aborted_attempts();

/// How many blocks the plugin has told the layout of so far.
unsigned long known_layouts();

}  // namespace deferred_runtime

#endif
