#ifndef PERDURE_PLUGIN_DISCOVER_WHOLE_PROGRAM_H
#define PERDURE_PLUGIN_DISCOVER_WHOLE_PROGRAM_H

#include <llvm/IR/Module.h>

#include "common/diagnose.h"

/// Discovery with link-time optimisation, where no function of another file needs a mark. A file is compiled as always,
/// but its clones may call clones of functions that are not known in it. The linker has the whole program in one
/// module: there the clones that are still missing are made, from bodies that are optimised already, and instrumented
/// at once, before the runtime is inlined into anything.
namespace perdure::plugin {

class Discovery;

/// Whether another file of the program may define the function. Those of the C library it does not.
bool may_be_in_another_file(const llvm::Function& function);

/// In a file: marks the functions, so that the linker knows them from those of libraries that the plugin has not
/// compiled. Whose address transactions take, other files may know.
void offer_to_linker(llvm::Module& module);

/// In the linker: whether only a file that was compiled without the plugin has the function.
bool is_from_file_without_plugin(const llvm::Function& function);

/// In a file with clones: the linker chooses what it takes out of archives, and what it drops, before it makes clones;
/// so the file refers to everything that those may call.
void keep_entry_points(llvm::Module& module);

/// In the linker, when all clones are made: what none of them calls may go.
void release_entry_points(llvm::Module& module);

/// In the linker: makes the clones that files have left to it, and offers those of the marked functions whose
/// address is taken to calls through pointers.
void complete_program(llvm::Module& module, Reporter& reporter);

}  // namespace perdure::plugin

#endif
