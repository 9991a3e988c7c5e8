#ifndef PERDURE_PLUGIN_DISCOVER_CLONE_H
#define PERDURE_PLUGIN_DISCOVER_CLONE_H

#include <llvm/IR/Function.h>

namespace perdure::plugin {

/// Clones of the serial flavour run in serial transactions only (docs/serial.md): what cannot be made transactional
/// stays in them as it is.
enum class Flavour : unsigned { ordinary, serial };
Flavour flavour_of(const llvm::Function& clone);

/// Copies a function that has a body into a clone, whose calls and accesses are those of the original still.
///
/// The clone has the original's type, calling convention, attributes and linkage (`available_externally` becomes
/// `linkonce_odr`, since nobody else defines the clone), in a comdat of its own name if the original is in one.
llvm::Function& make_clone(llvm::Function& original, Flavour flavour = Flavour::ordinary);

/// Copies a function that has a body under another symbol, in a comdat of that name if the original is in one.
llvm::Function& copy_function(llvm::Function& original, llvm::GlobalValue::LinkageTypes linkage,
                              llvm::StringRef symbol);

/// Whether a clone by the name of the original's is the original's. When files are linked, it may be that of another
/// file's function, which only that file knows.
bool may_share_names(const llvm::Function& original, const llvm::Function& clone);

/// The clone that an earlier run made; null when there is none.
llvm::Function* find_clone(const llvm::Function& original, Flavour flavour = Flavour::ordinary);

/// The declaration of the clone of a function that is defined elsewhere.
llvm::Function& declare_clone(const llvm::Function& original, Flavour flavour = Flavour::ordinary);

/// Gives the clone, under the name it would have as that of `alias`, to other files as well.
void make_alias_of_clone(llvm::Function& clone, const llvm::GlobalAlias& alias);

/// Gives the function an alias that is like another one.
void make_alias(llvm::Function& function, const llvm::GlobalAlias& alias, llvm::StringRef symbol);

}  // namespace perdure::plugin

#endif
