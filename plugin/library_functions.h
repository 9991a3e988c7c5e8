#ifndef PERDURE_PLUGIN_LIBRARY_FUNCTIONS_H
#define PERDURE_PLUGIN_LIBRARY_FUNCTIONS_H

#include <llvm/ADT/StringRef.h>

/// What the plugin knows of functions of the C and C++ libraries that need no clone.
namespace perdure::plugin {

/// Functions that clones call as they are: they touch no memory that a transaction changes, or only memory that is not
/// rolled back (the exception in flight), or end the process.
bool is_callable_as_is(llvm::StringRef symbol);

/// Provided functions (libs/abi/provided.def) that only read what their arguments point to. When that is the caller's
/// own frame or constant, clones call the function itself.
bool only_reads_arguments(llvm::StringRef symbol);

}  // namespace perdure::plugin

#endif
