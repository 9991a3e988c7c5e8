#ifndef PERDURE_PLUGIN_DISCOVER_REGISTRATION_H
#define PERDURE_PLUGIN_DISCOVER_REGISTRATION_H

#include <llvm/IR/Module.h>

namespace perdure::plugin {

/// Position-independent code that is not for an executable may be unloaded before the program ends.
bool may_be_unloaded(const llvm::Module& module);

/// Has `caller` called when the file is loaded (or unloaded): before constructors of the program, which may run
/// transactions, and after those of sanitizers.
void call_at_load(llvm::Function& caller);
void call_at_unload(llvm::Function& caller);

/// A function `name` without a body's end: the caller adds the call and the return.
llvm::Function& make_registration(llvm::Module& module, const llvm::Twine& name);

/// Calls `add(table, count)` when the file is loaded, and `remove` with the same when it may be unloaded; a weak one if
/// the program has it.
void register_table(llvm::GlobalVariable& table, std::size_t count, llvm::FunctionCallee add,
                    llvm::FunctionCallee remove, const llvm::Twine& name);

}  // namespace perdure::plugin

#endif
