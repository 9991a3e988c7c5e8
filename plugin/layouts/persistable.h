#ifndef PERDURE_PLUGIN_LAYOUTS_PERSISTABLE_H
#define PERDURE_PLUGIN_LAYOUTS_PERSISTABLE_H

#include <llvm/IR/Module.h>

/// What `new` makes outside of transactions can be copied into a pool later (perdure/persist.h): the runtime is told
/// where its pointers are (block_layouts.h), and keeps it where it finds it again. Calls of operators new become calls
/// of perdure_allocate_object, which only the runtime defines.
namespace perdure::plugin {

/// Whether the file calls perdure::persist: then what it makes is meant as well.
bool calls_persist(const llvm::Module& module);

/// Early phase: says that this file's calls are to be replaced. Those in clones are not: transactions allocate
/// otherwise.
void mark_persistable(llvm::Module& module);

/// Late phase, when the optimiser has taken out what nobody needs.
void replace_persistable(llvm::Module& module);

}  // namespace perdure::plugin

#endif
