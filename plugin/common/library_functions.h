#ifndef PERDURE_PLUGIN_COMMON_LIBRARY_FUNCTIONS_H
#define PERDURE_PLUGIN_COMMON_LIBRARY_FUNCTIONS_H

#include <llvm/ADT/StringRef.h>

/// What the plugin knows of functions of the C and C++ libraries that need no clone.
namespace perdure::plugin {

/// Functions that clones call as they are: they touch no memory that a transaction changes, or only memory that is not
/// rolled back (the exception in flight), or end the process.
bool is_callable_as_is(llvm::StringRef symbol);

/// Functions of C (libs/abi/c_library.def) that only read what their arguments lead to. When that is the caller's own
/// frame or constant, clones call the function itself.
bool only_reads_arguments(llvm::StringRef symbol);

/// The same, or they write there, too.
bool touches_only_arguments(llvm::StringRef symbol);

/// Functions of C that may store in memory what leads from one argument to another.
bool may_store_pointers(llvm::StringRef symbol);

/// Why transactions cannot call the function of C, and what to do instead; empty when that is not known.
llvm::StringRef reason_to_refuse(llvm::StringRef symbol);

/// Functions of C that a program may define itself, under their names, without the optimiser taking them for the
/// library's: programs that do not use a header use its names.
bool may_be_the_users(llvm::StringRef symbol);

}  // namespace perdure::plugin

#endif
