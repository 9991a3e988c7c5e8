#ifndef PERDURE_PLUGIN_DISCOVER_FLAVOURS_H
#define PERDURE_PLUGIN_DISCOVER_FLAVOURS_H

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

/// The two flavours of a clone: the full one, and the write-only one, whose reads stay plain loads. Some algorithms
/// need no more, and which one the program is linked with is not known here; so a file that is asked to has both, and
/// the library chooses when transactions begin and when the table of clones is filled (docs/abi.md).
namespace perdure::plugin {

/// Asks for both flavours of the clones in this module (-fplugin-arg-perdure-write-only). The linker is told, too.
void ask_for_write_only(llvm::Module& module);

bool is_asked_for_write_only(const llvm::Module& module);

/// Whether the clone is of the write-only flavour.
bool is_write_only(const llvm::Function& clone);

/// The write-only flavour of a clone, declared if need be. What the runtime provides has one flavour: itself.
llvm::GlobalValue& write_only_flavour(llvm::GlobalValue& clone);

/// The one of the two values that the library takes.
llvm::Value* chosen_flavour(llvm::IRBuilder<>& builder, llvm::Constant& full, llvm::Constant& write_only);

/// Makes the write-only flavour of all clones that are not instrumented yet, and of their aliases.
void make_write_only_flavours(llvm::Module& module);

}  // namespace perdure::plugin

#endif
