#ifndef PERDURE_PLUGIN_DISCOVER_OWN_OPERATORS_H
#define PERDURE_PLUGIN_DISCOVER_OWN_OPERATORS_H

#include <llvm/IR/Module.h>

/// A program may define the global operators new and delete, and so does the runtime, whose delete tells memory of
/// pools by its address (libs/entry/operators.cc). The runtime's take the program's place, and call them for all other
/// memory. In a program without the runtime the program's stay.
namespace perdure::plugin {

/// Early phase: the operators that the file defines get names under which the runtime finds them, and weak ones of
/// their own names that call them. Not under ThreadSanitizer, where the runtime defines none.
void hand_over_operators(llvm::Module& module);

}  // namespace perdure::plugin

#endif
