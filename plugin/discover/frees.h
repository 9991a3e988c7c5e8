#ifndef PERDURE_PLUGIN_DISCOVER_FREES_H
#define PERDURE_PLUGIN_DISCOVER_FREES_H

#include <llvm/IR/Module.h>

/// Outside of transactions `free`, `realloc`, `reallocarray` and `malloc_usable_size` take memory of pools, as `delete`
/// does: a file calls functions of the runtime instead, which tell it by its address. Each file brings weak ones of its
/// own, for programs without the runtime.
namespace perdure::plugin {

/// Early phase: says which calls are this file's (the runtime, which the linker may put beside it, has others), and has
/// pointers lead to the runtime's functions. What optimisers know of the calls holds until the late phase.
void mark_frees(llvm::Module& module);

/// Late phase: in functions that are no clones.
void replace_marked_frees(llvm::Module& module);

/// Whether it is what replaces one of these functions outside of transactions. The linker sees that in functions of
/// files that had no use for their clones.
bool is_free_outside(const llvm::Function& function);

/// The function of C that it replaces, or the function itself.
llvm::Function& free_of_c(llvm::Function& function);

/// In a clone calls are those of C again, whose transactional versions the runtime provides.
void restore_frees(llvm::Function& clone);

}  // namespace perdure::plugin

#endif
